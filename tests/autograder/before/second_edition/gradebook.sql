BEGIN TRANSACTION;
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL);
INSERT INTO "alembic_version" VALUES('e43177bfe90b');
CREATE TABLE assignment (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	duedate DATETIME, 
	course_id VARCHAR(128) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name), 
	FOREIGN KEY(course_id) REFERENCES course (id)
);
INSERT INTO "assignment" VALUES('5d293d18770f4da3a5f894bf52659f3e','01-strides','2026-10-12 23:59:00.000000','inside-the-tensor');
CREATE TABLE base_cell (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	notebook_id VARCHAR(32) NOT NULL, 
	type VARCHAR(50), 
	PRIMARY KEY (id), 
	UNIQUE (name, notebook_id, type), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "base_cell" VALUES('a31356e0186e41ca8478d633a306c4f2','strides-contiguous_strides','5a02e5dafa1a4e7387762d7c0b7e002d','GradeCell');
INSERT INTO "base_cell" VALUES('0fb03bade9604e8cbeaed0f2362972a1','accessor-TensorAccessor','5a02e5dafa1a4e7387762d7c0b7e002d','GradeCell');
INSERT INTO "base_cell" VALUES('34190ef9b3cd406084abf4b353b6577c','strides-view_strides','5a02e5dafa1a4e7387762d7c0b7e002d','GradeCell');
INSERT INTO "base_cell" VALUES('321e612477c14ac7a32daeec3c7a3dcd','reflect-stride-zero','5a02e5dafa1a4e7387762d7c0b7e002d','GradeCell');
INSERT INTO "base_cell" VALUES('cfbe37473a524529959262e553e17b9c','strides-contiguous_strides-answer','5a02e5dafa1a4e7387762d7c0b7e002d','SolutionCell');
INSERT INTO "base_cell" VALUES('53fe01d004bb445cad37bd5bd03377b5','accessor-TensorAccessor-answer','5a02e5dafa1a4e7387762d7c0b7e002d','SolutionCell');
INSERT INTO "base_cell" VALUES('97752922fda944c9b0e1041ec395b4b9','strides-view_strides-answer','5a02e5dafa1a4e7387762d7c0b7e002d','SolutionCell');
INSERT INTO "base_cell" VALUES('b3cce8f13a8d4bb3bad7153e7d7985f3','reflect-stride-zero','5a02e5dafa1a4e7387762d7c0b7e002d','SolutionCell');
CREATE TABLE comment (
	id VARCHAR(32) NOT NULL, 
	notebook_id VARCHAR(32), 
	cell_id VARCHAR(32), 
	auto_comment TEXT, 
	manual_comment TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (cell_id, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES submitted_notebook (id), 
	FOREIGN KEY(cell_id) REFERENCES base_cell (id)
);
INSERT INTO "comment" VALUES('0e18b2cd387143edbe9e6aa5673418b8','255ebed3628e40e58e10e64a7d239f84','cfbe37473a524529959262e553e17b9c','right, 5 of 5 points (seed 254189769577623, isolation bwrap)',NULL);
INSERT INTO "comment" VALUES('03ab1aaf61784340907eb5629ff73dba','255ebed3628e40e58e10e64a7d239f84','53fe01d004bb445cad37bd5bd03377b5','right, 6 of 6 points (seed 254189769577623, isolation bwrap)',NULL);
INSERT INTO "comment" VALUES('ef673848b64d4abeb6fb9468ad8397ed','255ebed3628e40e58e10e64a7d239f84','97752922fda944c9b0e1041ec395b4b9','right, 9 of 9 points (seed 254189769577623, isolation bwrap)',NULL);
INSERT INTO "comment" VALUES('eddf8a1fb7f24ece81acf988069e2a6e','255ebed3628e40e58e10e64a7d239f84','b3cce8f13a8d4bb3bad7153e7d7985f3',NULL,'Say which stride.');
INSERT INTO "comment" VALUES('0579c74d685047f9b4584c666d350f0f','564a884e54324a24bcd3bf26f7e266af','cfbe37473a524529959262e553e17b9c','right, 5 of 5 points (seed 148380141887708, isolation bwrap)',NULL);
INSERT INTO "comment" VALUES('339de1e91c9245b68fa6a1b22e07237a','564a884e54324a24bcd3bf26f7e266af','53fe01d004bb445cad37bd5bd03377b5','right, 6 of 6 points (seed 148380141887708, isolation bwrap)',NULL);
INSERT INTO "comment" VALUES('aa3a33da907c498f891e96576c9d74a5','564a884e54324a24bcd3bf26f7e266af','97752922fda944c9b0e1041ec395b4b9','wrong, 0 of 9 points (seed 148380141887708, isolation bwrap)',NULL);
INSERT INTO "comment" VALUES('e19536bcc73746499dd765e885878904','564a884e54324a24bcd3bf26f7e266af','b3cce8f13a8d4bb3bad7153e7d7985f3','No response.',NULL);
INSERT INTO "comment" VALUES('5b79e74c153b4dcba13d381a720a10b9','fc8922e521394f52a96e54150bd3b420','cfbe37473a524529959262e553e17b9c','wrong, 0 of 5 points (seed 186483472864481, isolation bwrap)',NULL);
INSERT INTO "comment" VALUES('f9ed92ec181d45df94f7ccde055485ad','fc8922e521394f52a96e54150bd3b420','53fe01d004bb445cad37bd5bd03377b5','wrong, 0 of 6 points (seed 186483472864481, isolation bwrap)',NULL);
INSERT INTO "comment" VALUES('546f9d7770d44209a276b5bbfec5cb9b','fc8922e521394f52a96e54150bd3b420','97752922fda944c9b0e1041ec395b4b9','wrong, 0 of 9 points (seed 186483472864481, isolation bwrap)',NULL);
INSERT INTO "comment" VALUES('ac4821ee07e540dc9cc4bcc6bc215b0c','fc8922e521394f52a96e54150bd3b420','b3cce8f13a8d4bb3bad7153e7d7985f3','No response.',NULL);
CREATE TABLE course (
	id VARCHAR(128) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (id)
);
INSERT INTO "course" VALUES('inside-the-tensor');
INSERT INTO "course" VALUES('default_course');
CREATE TABLE grade (
	id VARCHAR(32) NOT NULL, 
	notebook_id VARCHAR(32), 
	cell_id VARCHAR(32), 
	auto_score FLOAT, 
	manual_score FLOAT, 
	extra_credit FLOAT, 
	needs_manual_grade BOOLEAN NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (cell_id, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES submitted_notebook (id), 
	FOREIGN KEY(cell_id) REFERENCES base_cell (id)
);
INSERT INTO "grade" VALUES('478620da93ed4b3184b5c67fab15fd30','255ebed3628e40e58e10e64a7d239f84','a31356e0186e41ca8478d633a306c4f2',5.0,NULL,1.5,0);
INSERT INTO "grade" VALUES('15e27303b3294438ae392d07ddd47ebb','255ebed3628e40e58e10e64a7d239f84','0fb03bade9604e8cbeaed0f2362972a1',6.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('97b8e15a24314417b136de5a15b11687','255ebed3628e40e58e10e64a7d239f84','34190ef9b3cd406084abf4b353b6577c',9.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('917b09cc7270469588528bd19573cd5a','255ebed3628e40e58e10e64a7d239f84','321e612477c14ac7a32daeec3c7a3dcd',NULL,60.0,NULL,0);
INSERT INTO "grade" VALUES('21072334aff64c8784d7d90195de0211','564a884e54324a24bcd3bf26f7e266af','a31356e0186e41ca8478d633a306c4f2',5.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('8fa39e6f0494438db77f6811c80ffe2c','564a884e54324a24bcd3bf26f7e266af','0fb03bade9604e8cbeaed0f2362972a1',6.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('12de260db28c4289b7e66eb4be47375b','564a884e54324a24bcd3bf26f7e266af','34190ef9b3cd406084abf4b353b6577c',0.0,4.0,NULL,0);
INSERT INTO "grade" VALUES('91909e276d124cc2a830229e749cbcaa','564a884e54324a24bcd3bf26f7e266af','321e612477c14ac7a32daeec3c7a3dcd',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('31b03867c6de4909aa04193b1e5347d0','fc8922e521394f52a96e54150bd3b420','a31356e0186e41ca8478d633a306c4f2',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('e06d3d8ed7604010aadefe9fe7ba39fd','fc8922e521394f52a96e54150bd3b420','0fb03bade9604e8cbeaed0f2362972a1',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('4ab7fd6575624a059300436b4019a8d5','fc8922e521394f52a96e54150bd3b420','34190ef9b3cd406084abf4b353b6577c',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('7b73ffe0a1684d37866873a044a626a2','fc8922e521394f52a96e54150bd3b420','321e612477c14ac7a32daeec3c7a3dcd',0.0,NULL,NULL,0);
CREATE TABLE grade_cells (
	id VARCHAR(32) NOT NULL, 
	max_score FLOAT NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
INSERT INTO "grade_cells" VALUES('a31356e0186e41ca8478d633a306c4f2',5.0,'code');
INSERT INTO "grade_cells" VALUES('0fb03bade9604e8cbeaed0f2362972a1',6.0,'code');
INSERT INTO "grade_cells" VALUES('34190ef9b3cd406084abf4b353b6577c',9.0,'code');
INSERT INTO "grade_cells" VALUES('321e612477c14ac7a32daeec3c7a3dcd',80.0,'markdown');
CREATE TABLE notebook (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	assignment_id VARCHAR(32), 
	kernelspec VARCHAR(1024), 
	PRIMARY KEY (id), 
	UNIQUE (name, assignment_id), 
	FOREIGN KEY(assignment_id) REFERENCES assignment (id)
);
INSERT INTO "notebook" VALUES('5a02e5dafa1a4e7387762d7c0b7e002d','lab','5d293d18770f4da3a5f894bf52659f3e','{"display_name": "Python 3", "language": "python", "name": "python3"}');
CREATE TABLE set_aside (
	assignment TEXT NOT NULL, 
	student TEXT NOT NULL, 
	cell TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	manual_score FLOAT, 
	extra_credit FLOAT, 
	max_score FLOAT, 
	manual_comment TEXT, 
	PRIMARY KEY (assignment, student, cell, kind)
);
CREATE TABLE solution_cells (
	id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
INSERT INTO "solution_cells" VALUES('cfbe37473a524529959262e553e17b9c');
INSERT INTO "solution_cells" VALUES('53fe01d004bb445cad37bd5bd03377b5');
INSERT INTO "solution_cells" VALUES('97752922fda944c9b0e1041ec395b4b9');
INSERT INTO "solution_cells" VALUES('b3cce8f13a8d4bb3bad7153e7d7985f3');
CREATE TABLE source_cell (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	locked BOOLEAN NOT NULL, 
	source TEXT, 
	checksum VARCHAR(128), 
	notebook_id VARCHAR(32), 
	PRIMARY KEY (id), 
	UNIQUE (name, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "source_cell" VALUES('d6c2ce698a45403eb0a44fbf9a04233a','strides-contiguous_strides-answer','code',0,'def contiguous_strides(sizes: Ints) -> Ints:
    """Return the strides of a fresh tensor: the last index moves fastest, and no cell is skipped.

    Args:
        sizes: (d0, ..., dn-1), elements. A size of 0 counts as 1 here. A size may be larger than any memory.
    Returns:
        tuple of ints, one stride per dimension, in elements.

    >>> contiguous_strides((2, 3, 4))
    (12, 4, 1)
    >>> contiguous_strides((2, 0, 3))
    (3, 3, 1)

    Source: TensorImpl::empty_tensor_restride (c10/core/TensorImpl.h).
    """
    # YOUR CODE HERE (about 6 lines)
    raise NotImplementedError("contiguous_strides")','221913c9bea7c1c1aea68eb6045dc325','5a02e5dafa1a4e7387762d7c0b7e002d');
INSERT INTO "source_cell" VALUES('a7cae05ecedb4d2fa44ec20a2a65cd6c','strides-contiguous_strides','code',1,'check("strides.contiguous_strides")','23ac5cb10d45e5249bd6be447979aad5','5a02e5dafa1a4e7387762d7c0b7e002d');
INSERT INTO "source_cell" VALUES('0541a358b7f54881a78d537885e31e37','accessor-TensorAccessor-answer','code',0,'class TensorAccessor:
    """Read and write single elements of a strided tensor, one dimension at a time.

    Element (i0, ..., in-1) is `data[storage_offset + sum(i_d * strides[d])]`. An index uses up the first dimension:
    `a[i]` is an accessor for the rest, or the element itself if only one dimension was left.

    Args:
        data: flat list or 1-D array, the cells of the storage.
        sizes, strides: geometry, in elements.
        storage_offset: cell of the first element.

    >>> a = TensorAccessor([0, 1, 2, 3, 4, 5], (3, 2), (1, 3), 0)
    >>> a[2][1], a[-1][0]
    (5, 2)

    Source: at::TensorAccessor (aten/src/ATen/core/TensorAccessor.h).
    """

    __slots__ = ("data", "sizes", "strides", "storage_offset")

    def __init__(self, data, sizes: Ints, strides: Ints, storage_offset: int):
        self.data = data
        self.sizes = sizes
        self.strides = strides
        self.storage_offset = storage_offset

    def offset_of(self, index: int) -> int:
        """Return the cell where `a[index]` starts; a negative index counts from the end.

        Raises:
            TypeError: `index` is not an int. A bool and a NumPy number are refused; any other subclass of int may be
                refused or accepted.
            IndexError: no dimension is left, or `index` is outside [-size, size - 1].
        """
        if type(index) is not int:
            raise TypeError(f"an accessor is indexed with one int at a time, not with {type(index).__name__}")
        if not self.sizes:
            raise IndexError("a 0-dimensional accessor can''t be indexed")
        size = self.sizes[0]
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of bounds for a dimension of size {size}")
        return self.storage_offset + index % size * self.strides[0]

    def __getitem__(self, index: int):
        """Return the accessor of `a[index]` if dimensions are left after the first, else the element.

        Raises:
            TypeError, IndexError: as `offset_of`.
        """
        # YOUR CODE HERE (about 4 lines)
        raise NotImplementedError("TensorAccessor.__getitem__")

    def __setitem__(self, index: int, value) -> None:
        """Write one element, `value` as it is; exactly one dimension must be left.

        Raises:
            TypeError: more than one dimension is left.
            TypeError, IndexError: as `offset_of`; so IndexError if no dimension is left. With two faults, either error
                is right.
        """
        # YOUR CODE HERE (about 4 lines)
        raise NotImplementedError("TensorAccessor.__setitem__")

    def __len__(self) -> int:
        if not self.sizes:
            raise TypeError("len() of a 0-dimensional accessor")
        return self.sizes[0]','2533951d2ada737cc9e64ffa4fc2ea2a','5a02e5dafa1a4e7387762d7c0b7e002d');
INSERT INTO "source_cell" VALUES('6fbd6500998f4aeea943e28e07812e85','accessor-TensorAccessor','code',1,'check("accessor.TensorAccessor")','a276c28bd4af459f5726fc280ab3a5ce','5a02e5dafa1a4e7387762d7c0b7e002d');
INSERT INTO "source_cell" VALUES('7cc2d30d2dea402aa92a021a84f1a764','strides-view_strides-answer','code',0,'def view_strides(sizes: Ints, strides: Ints, new_sizes: Ints) -> Ints | None:
    """Return strides with which `new_sizes` reads the same elements in the same order, without a copy.

    Args:
        sizes, strides: geometry of the tensor, in elements; `len(sizes) == len(strides)`.
        new_sizes: the new sizes, without -1; the products of `sizes` and `new_sizes` are equal.
    Returns:
        tuple of ints, one per new dimension, or None if there are no such strides. A new dimension of size 1 gets the
        stride `size * stride` of the new dimension to its right. If there is none to its right, it gets the last of
        `strides`, or 1 without `strides`. Without elements: the old strides if the sizes stay the same, else the
        contiguous strides of `new_sizes`.

    >>> view_strides((2, 3), (3, 1), (6,))
    (1,)
    >>> view_strides((3, 2), (1, 3), (6,)) is None
    True

    Source: computeStride_impl (aten/src/ATen/TensorUtils.cpp).
    """
    # YOUR CODE HERE (about 21 lines)
    raise NotImplementedError("view_strides")','75ac8bd226ec54bfc0b58f3ad09694e6','5a02e5dafa1a4e7387762d7c0b7e002d');
INSERT INTO "source_cell" VALUES('0ad02a38e3084e81bbe60d882b9a8ca8','strides-view_strides','code',1,'check("strides.view_strides")','b69f048dfed9541cd65fb46c2743f585','5a02e5dafa1a4e7387762d7c0b7e002d');
INSERT INTO "source_cell" VALUES('4d6d10d5fd7846dab3a81f7e821ed3da','reflect-stride-zero','markdown',0,'YOUR ANSWER HERE (stride-zero)','ef276f15df192793e181b1f903ea8021','5a02e5dafa1a4e7387762d7c0b7e002d');
CREATE TABLE student (
	id VARCHAR(128) NOT NULL, 
	first_name VARCHAR(128), 
	last_name VARCHAR(128), 
	email VARCHAR(128), 
	lms_user_id VARCHAR(128), 
	PRIMARY KEY (id)
);
INSERT INTO "student" VALUES('ada',NULL,NULL,NULL,NULL);
INSERT INTO "student" VALUES('bob',NULL,NULL,NULL,NULL);
INSERT INTO "student" VALUES('carla',NULL,NULL,NULL,NULL);
CREATE TABLE submitted_assignment (
	id VARCHAR(32) NOT NULL, 
	assignment_id VARCHAR(32), 
	student_id VARCHAR(128), 
	timestamp DATETIME, 
	extension DATETIME, 
	PRIMARY KEY (id), 
	UNIQUE (assignment_id, student_id), 
	FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	FOREIGN KEY(student_id) REFERENCES student (id)
);
INSERT INTO "submitted_assignment" VALUES('23069a3212ca41bbaf5c292bddd00726','5d293d18770f4da3a5f894bf52659f3e','ada','2026-10-13 10:00:00.000000',NULL);
INSERT INTO "submitted_assignment" VALUES('6ec3da2acd3a4de28e55aa770c2ee6d7','5d293d18770f4da3a5f894bf52659f3e','bob',NULL,NULL);
INSERT INTO "submitted_assignment" VALUES('a5fff05ec8584590bf1467f7398645c9','5d293d18770f4da3a5f894bf52659f3e','carla',NULL,NULL);
CREATE TABLE submitted_notebook (
	id VARCHAR(32) NOT NULL, 
	assignment_id VARCHAR(32), 
	notebook_id VARCHAR(32), 
	flagged BOOLEAN, 
	late_submission_penalty FLOAT, 
	PRIMARY KEY (id), 
	UNIQUE (notebook_id, assignment_id), 
	FOREIGN KEY(assignment_id) REFERENCES submitted_assignment (id), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "submitted_notebook" VALUES('255ebed3628e40e58e10e64a7d239f84','23069a3212ca41bbaf5c292bddd00726','5a02e5dafa1a4e7387762d7c0b7e002d',0,8.15);
INSERT INTO "submitted_notebook" VALUES('564a884e54324a24bcd3bf26f7e266af','6ec3da2acd3a4de28e55aa770c2ee6d7','5a02e5dafa1a4e7387762d7c0b7e002d',0,NULL);
INSERT INTO "submitted_notebook" VALUES('fc8922e521394f52a96e54150bd3b420','a5fff05ec8584590bf1467f7398645c9','5a02e5dafa1a4e7387762d7c0b7e002d',0,NULL);
CREATE TABLE task_cells (
	id VARCHAR(32) NOT NULL, 
	max_score FLOAT NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
COMMIT;
