"""The tables of a gradebook: nbgrader's, and those that the grader adds."""

from nbgrader.api import Base
from sqlalchemy import Column, Float, MetaData, Table, Text

OWN = MetaData()
EARNED = Table("extra_earned", OWN, Column("grade", Text, primary_key=True), Column("points", Float))
SET_ASIDE = Table(
    "set_aside",
    OWN,
    *(Column(name, Text, primary_key=True) for name in ("assignment", "student", "cell", "kind")),
    *(Column(name, Float) for name in ("manual_score", "extra_credit", "max_score")),
    Column("manual_comment", Text),
)
TABLES = (*Base.metadata.sorted_tables, *OWN.sorted_tables)  # a table that is referred to comes first
