"""A third set of variants, written as an attack on finished detectors: other cases of the same kinds.

They are written from the documentation of the tools and from incidents, without reading a detector.
A detector must not be changed because one variant of this set fails: mend the class.
"""
