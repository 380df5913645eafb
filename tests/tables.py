"""Tables with merged cells, made at random."""

from hypothesis import strategies as st


@st.composite
def merged_cells(draw, *, least=1):
    """A grid of texts, and its cells in order as (row, column, rows, columns, text): equal neighbours may be one."""
    height, width = draw(st.integers(least, 5)), draw(st.integers(least, 5))
    grid = [[""] * width for _ in range(height)]
    cells = []
    for top in range(height):
        for left in range(width):
            if grid[top][left]:
                continue
            free = next((n for n in range(left, width) if grid[top][n]), width) - left
            across, down = draw(st.integers(1, free)), draw(st.integers(1, height - top))
            for row in grid[top : top + down]:
                row[left : left + across] = [f"c{top}{left}"] * across
            cells.append((top, left, down, across, f"c{top}{left}"))
    return grid, cells
