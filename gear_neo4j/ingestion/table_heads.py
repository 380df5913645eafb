"""Which first rows of a table are its heads, in documents that do not mark them."""

from collections.abc import Sequence

from gear_neo4j.ingestion.columns import is_header, is_value

# A longer cell is a text.
LONGEST_HEAD = 60
# So many values below a head show what kind of column it is.
FEWEST_VALUES = 2


def count_heads(rows: Sequence[Sequence[str]], *, height: int = 1, is_bold: bool, is_data: bool) -> int:
    """How many of the first rows of a table are heads.

    Bold heads count in any table. Otherwise, two columns are names and values; and the first row of more columns must
    not have values like those below it.

    Args:
        rows: the texts of the cells, by rows.
        height: the number of rows that the highest cell of the first row spans.
        is_bold: whether the first row is bold, and others are not.
        is_data: whether tables of this kind of document have heads as a rule. Those of web pages may only arrange a
            page; their heads must stand above numbers.

    Example:
        >>> rows = [["Ship", "Built", "Yard"], ["Heron", "1988", "Leith"], ["Egret", "1994", "Bath"]]
        >>> count_heads(rows, is_bold=False, is_data=False), count_heads(rows[1:], is_bold=False, is_data=True)
        (1, 0)
    """
    height = height if height < len(rows) else 1
    heads, below = rows[:height], rows[height:]
    if not below or is_bold:
        return height if below else 0
    names = heads[-1]
    if len(names) < 3 or not is_header(names, below):
        return 0
    return height if is_data or _stand_above_values(names, below) else 0


def _stand_above_values(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    if len({*names}) < len(names) or not all(0 < len(name) <= LONGEST_HEAD for name in names):
        return False
    columns = ([row[index] for row in rows if len(row) > index and row[index]] for index in range(len(names)))
    return any(
        len(column) >= FEWEST_VALUES and all(map(is_value, column)) and not is_value(name)
        for name, column in zip(names, columns, strict=True)
    )
