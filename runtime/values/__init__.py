"""Values on their way in and out: literals, generators, arrays and files on one side, fields on the other.

`incoming.take` turns any of them into the array of a port or param, `plain` and `saving` turn fields back.
"""
