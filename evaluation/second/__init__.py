"""A second set of variants, held out: siblings of the first that nobody named while detectors were made.

They are written from the documentation of the tools and from what happens to people, without reading a
detector.  A detector must not be changed because one variant of this set fails: mend the class.
"""
