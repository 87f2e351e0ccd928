"""The reading site: `make site`, or `python -m autograder.author.site [--student] [--out DIR]`.

executed.py     the notebooks with their outputs, kept in build/executed/   lab_pages.py   a lab's notebook as a page
core_path.py    the engine's core path as annotated listings                docstrings.py  docstrings as Markdown
api_pages.py    the public names and their docstrings                       glossary.py    the terms that labs define
repository_pages.py  README, docs/ and the guides, with links that work     front.py       the first page, from index.md
source.py       all of these, as one folder that Sphinx builds              sphinx_parts.py  links, alt texts, formulas
conf.py         Sphinx's settings                                           built_pages.py   faults of what was built
"""
