"""Short answers: what a model needs to decide, in at most `fit.MOST_BYTES`.

Each function takes the JSON that the command line prints and returns a part of it: fields that are
empty, null or as usual are left out, ids have eight digits, times have seconds, texts and lists are
cut.  What is left out of a list is counted in `truncated`, with the way to ask for it.
The fields that the command line has too mean the same in both; `shapes` declares them.
"""
