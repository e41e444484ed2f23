"""All features of the matrix, in the order in which it shows them."""

from tests.matrix.control import CONTROL
from tests.matrix.feature import Feature
from tests.matrix.integers import INTEGERS
from tests.matrix.places import PLACES
from tests.matrix.reals import REALS
from tests.matrix.structures import STRUCTURES

FEATURES: tuple[Feature, ...] = (*INTEGERS, *REALS, *STRUCTURES, *CONTROL, *PLACES)
