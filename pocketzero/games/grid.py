"""What games on a square grid share."""

from numba.extending import register_jitable

SQUARE_SYMMETRIES = 8


@register_jitable
def square_image(row, column, side, index):
    """Where symmetry `index` (0 .. 7) of the side x side square takes (row, column), as (row, column): bit 0 flips
    rows, bit 1 flips columns, bit 2 then exchanges the two. Index 0 is the identity."""
    if index & 1:
        row = side - 1 - row
    if index & 2:
        column = side - 1 - column
    if index & 4:
        return column, row
    return row, column
