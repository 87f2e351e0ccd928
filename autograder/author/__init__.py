"""From the labs' texts to what students are handed: `make course`, `make bundle`.

lab_text.py   solutions/<lab>/lab.md as cells              weave.py   the notebooks, their recorded cases, lab.json
solutions.py  the solutions as a student's engine          bundle.py  the zip that students get
"""
