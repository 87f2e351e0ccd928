"""Wrong answers to cpu.scatter_gather.lines."""

from autograder.made_up.wrong_answer import WrongAnswer

LINES = "cpu.scatter_gather.lines"

WRONG_ANSWERS = (
    WrongAnswer(LINES, "positions are cleared when they are used", ("ordinary", "apart", "outside", "compiled"), (
        "f(x, np.uintp(of_x + position * step_x), y, np.uintp(of_y + i * step_y))",
        "f(x, np.uintp(of_x + position * step_x), y, np.uintp(of_y + i * step_y))\n"
        "index[np.uintp(of_index + i * step_index)] = 0",
    )),
    WrongAnswer(LINES, "every thread does all lines from the first one on", ("apart",), (
        """
enter(line, cells, walk, begin)
for _ in range(begin, end):
    of_x, of_index, of_y = cells[0], cells[1], cells[2]
""",
        "for _ in range(end):",
        """
position = index[np.uintp(of_index + i * step_index)]
if not 0 <= position < size:
""",
        """
position = index[cells[1] + i * step_index]
if position < 0 or position >= size:
""",
        "f(x, np.uintp(of_x + position * step_x), y, np.uintp(of_y + i * step_y))",
        "f(x, cells[0] + position * step_x, y, cells[2] + i * step_y)",
    )),
    WrongAnswer(LINES, "from the end of a line to its beginning", ("ordinary", "apart", "outside", "compiled"), (
        """
of_x, of_index, of_y = cells[0], cells[1], cells[2]
for i in range(length):
    position = index[np.uintp(of_index + i * step_index)]
    if not 0 <= position < size:
""",
        """
for i in range(length - 1, -1, -1):
    position = index[cells[1] + i * step_index]
    if position < 0 or position >= size:
""",
        "f(x, np.uintp(of_x + position * step_x), y, np.uintp(of_y + i * step_y))",
        "f(x, cells[0] + position * step_x, y, cells[2] + i * step_y)",
    )),
    WrongAnswer(LINES, "begins with line 0, whatever begin is", ("apart",),
        ("enter(line, cells, walk, begin)", "enter(line, cells, walk, 0)"),
    ),
    WrongAnswer(LINES, "raises, where it should report", ("outside",),
        ("report[0], report[1] = 1, position", "raise IndexError(position)"),
    ),
    WrongAnswer(LINES, "reports the last position that is out of range", ("outside",), (
        """
for _ in range(begin, end):
    of_x, of_index, of_y = cells[0], cells[1], cells[2]
""",
        """
bad = False
for _ in range(begin, end):
    for i in range(length):
        position = index[cells[1] + i * step_index]
        if position < 0 or position >= size:
            report[0], report[1], bad = 1, position, True
    advance(line, cells, walk)
if bad:
    return
line[:] = 0
cells[:] = np.array((p, q, r))
enter(line, cells, walk, begin)
for _ in range(begin, end):
    of_x, of_index, of_y = cells[0], cells[1], cells[2]
""",
    )),
    WrongAnswer(LINES, "reports 0 and -1 where nothing is out of range", ("ordinary", "apart", "outside", "compiled"),
        ("length, size, step_x, step_index, step_y = way",
         "report[0], report[1] = 0, -1\nlength, size, step_x, step_index, step_y = way"),
    ),
    WrongAnswer(LINES, "a negative position counts from the end", ("outside",), (
        """
for _ in range(begin, end):
    of_x, of_index, of_y = cells[0], cells[1], cells[2]
""",
        "for _ in range(begin, end):",
        """
position = index[np.uintp(of_index + i * step_index)]
if not 0 <= position < size:
""",
        """
position = index[cells[1] + i * step_index]
if position < 0:
    position += size
if position < 0 or position >= size:
""",
        "f(x, np.uintp(of_x + position * step_x), y, np.uintp(of_y + i * step_y))",
        "f(x, cells[0] + position * step_x, y, cells[2] + i * step_y)",
    )),
    WrongAnswer(LINES, "reports what is out of range, and writes there all the same", ("outside",), """
def lines(f):
    def loop(begin, end, x, p, index, q, y, r, walk, way, report):
        length, size, step_x, step_index, step_y = way
        line, cells = np.zeros(walk.shape[1], np.int64), np.array((p, q, r))
        enter(line, cells, walk, begin)
        for _ in range(begin, end):
            for i in range(length):
                position = index[cells[1] + i * step_index]
                if position < 0 or position >= size:
                    report[0], report[1] = 1, position
                f(x, cells[0] + position * step_x, y, cells[2] + i * step_y)
            advance(line, cells, walk)
    return loop
"""),
    WrongAnswer(LINES, "a position of `size` is allowed", ("outside",), (
        """
for _ in range(begin, end):
    of_x, of_index, of_y = cells[0], cells[1], cells[2]
""",
        "for _ in range(begin, end):",
        """
position = index[np.uintp(of_index + i * step_index)]
if not 0 <= position < size:
""",
        """
position = index[cells[1] + i * step_index]
if position < 0 or position > size:
""",
        "f(x, np.uintp(of_x + position * step_x), y, np.uintp(of_y + i * step_y))",
        "f(x, cells[0] + position * step_x, y, cells[2] + i * step_y)",
    )),
    WrongAnswer(LINES, "the stride of the index for y and x as well", ("ordinary", "apart", "outside", "compiled"), """
def lines(f):
    def loop(begin, end, x, p, index, q, y, r, walk, way, report):
        length, size, _, step, _ = way
        line, cells = np.zeros(walk.shape[1], np.int64), np.array((p, q, r))
        enter(line, cells, walk, begin)
        for _ in range(begin, end):
            for i in range(length):
                position = index[cells[1] + i * step]
                if position < 0 or position >= size:
                    report[0], report[1] = 1, position
                    return
                f(x, cells[0] + position + i * step, y, cells[2] + i * step)
            advance(line, cells, walk)
    return loop
"""),
    WrongAnswer(LINES, "does not go on to the next line", ("ordinary", "apart", "outside", "compiled"), """
def lines(f):
    def loop(begin, end, x, p, index, q, y, r, walk, way, report):
        length, size, step_x, step_index, step_y = way
        line, cells = np.zeros(walk.shape[1], np.int64), np.array((p, q, r))
        enter(line, cells, walk, begin)
        for _ in range(begin, end):
            for i in range(length):
                position = index[cells[1] + i * step_index]
                if position < 0 or position >= size:
                    report[0], report[1] = 1, position
                    return
                f(x, cells[0] + position * step_x, y, cells[2] + i * step_y)
    return loop
"""),
    WrongAnswer(LINES, "y is taken to lie as the index does", ("ordinary", "apart", "outside", "compiled"), (
        """
for _ in range(begin, end):
    of_x, of_index, of_y = cells[0], cells[1], cells[2]
""",
        "for _ in range(begin, end):",
        """
position = index[np.uintp(of_index + i * step_index)]
if not 0 <= position < size:
""",
        """
position = index[cells[1] + i * step_index]
if position < 0 or position >= size:
""",
        "f(x, np.uintp(of_x + position * step_x), y, np.uintp(of_y + i * step_y))",
        "f(x, cells[0] + position * step_x, y, cells[2] + i * step_index)",
    )),
    WrongAnswer(LINES, "a position that is out of range ends its line, and no other", ("outside",), """
def lines(f):
    def loop(begin, end, x, p, index, q, y, r, walk, way, report):
        length, size, step_x, step_index, step_y = way
        line, cells = np.zeros(walk.shape[1], np.int64), np.array((p, q, r))
        enter(line, cells, walk, begin)
        for _ in range(begin, end):
            for i in range(length):
                position = index[cells[1] + i * step_index]
                if position < 0 or position >= size:
                    report[0], report[1] = 1, position
                    break
                f(x, cells[0] + position * step_x, y, cells[2] + i * step_y)
            advance(line, cells, walk)
    return loop
"""),
)  # fmt: skip
