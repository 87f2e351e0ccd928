"""From the labs' texts to what students are handed: `make course`, `make bundle`.

lab_text.py   solutions/<lab>/lab.md as cells              weave.py   the notebooks, their recorded cases, lab.json
calibration.py  samples of written answers, with their points
site/         the labs, the core path and the pages of docs/ as a website: `make site`
solutions.py  the solutions as a student's engine          bundle.py  the zip that students get
"""
