"""The merge-law prover: is a reduction's merge associative and commutative for all values that a fold can reach?"""
