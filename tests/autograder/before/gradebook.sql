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
INSERT INTO "assignment" VALUES('689603bd3e914e12998ebdabaeb40e19','01-strides',NULL,'inside-the-tensor');
CREATE TABLE base_cell (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	notebook_id VARCHAR(32) NOT NULL, 
	type VARCHAR(50), 
	PRIMARY KEY (id), 
	UNIQUE (name, notebook_id, type), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "base_cell" VALUES('d65d06f99bc9401ca86d1d852c468e38','strides-contiguous_strides','3746c95a276e42ae8386de5f8c64e1c7','GradeCell');
INSERT INTO "base_cell" VALUES('da9aa54a173b41208c940d1d2425fd82','accessor-TensorAccessor','3746c95a276e42ae8386de5f8c64e1c7','GradeCell');
INSERT INTO "base_cell" VALUES('fea8b17c318147d099a4b7f04ec68da1','strides-view_strides','3746c95a276e42ae8386de5f8c64e1c7','GradeCell');
INSERT INTO "base_cell" VALUES('0646165439374ed0a93bebf7c7bf6275','reflect-stride-zero','3746c95a276e42ae8386de5f8c64e1c7','GradeCell');
INSERT INTO "base_cell" VALUES('2b425fd7d7d74366a214599710442b55','strides-contiguous_strides-answer','3746c95a276e42ae8386de5f8c64e1c7','SolutionCell');
INSERT INTO "base_cell" VALUES('7009e0971eb648f0b1df1cec5db28804','accessor-TensorAccessor-answer','3746c95a276e42ae8386de5f8c64e1c7','SolutionCell');
INSERT INTO "base_cell" VALUES('d65088d8513642beab679fdf03895abc','strides-view_strides-answer','3746c95a276e42ae8386de5f8c64e1c7','SolutionCell');
INSERT INTO "base_cell" VALUES('f02383652bc04af1b7dd98f770ad0ef2','reflect-stride-zero','3746c95a276e42ae8386de5f8c64e1c7','SolutionCell');
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
INSERT INTO "comment" VALUES('5ce3e28d7e7545f6b81c9b668fe0014f','4d92c22584fd4efcaa66b1a62dc9e371','2b425fd7d7d74366a214599710442b55','right, 5 of 5 points (seed 213656319277073, isolation bwrap)',NULL);
INSERT INTO "comment" VALUES('e4f05ce8fc2a4e09a3f05cd19fb03d36','4d92c22584fd4efcaa66b1a62dc9e371','7009e0971eb648f0b1df1cec5db28804','right, 6 of 6 points (seed 213656319277073, isolation bwrap)',NULL);
INSERT INTO "comment" VALUES('468c45636e12442ba40fcd8ca1b60a05','4d92c22584fd4efcaa66b1a62dc9e371','d65088d8513642beab679fdf03895abc','right, 9 of 9 points (seed 213656319277073, isolation bwrap)',NULL);
INSERT INTO "comment" VALUES('16cbbe5b53394f58b5b33354609518b9','4d92c22584fd4efcaa66b1a62dc9e371','f02383652bc04af1b7dd98f770ad0ef2',NULL,'Say which stride.');
INSERT INTO "comment" VALUES('b46a1c0e435e4fd197f4975287e8e3bc','e68793b430774d1db8341db56beff0e0','2b425fd7d7d74366a214599710442b55','right, 5 of 5 points (seed 14655194439907, isolation bwrap)',NULL);
INSERT INTO "comment" VALUES('b90ffa4aa5914b6eaf1bc2320d111a0c','e68793b430774d1db8341db56beff0e0','7009e0971eb648f0b1df1cec5db28804','right, 6 of 6 points (seed 14655194439907, isolation bwrap)',NULL);
INSERT INTO "comment" VALUES('fb01f054975e4747bac1e925b7e9f6a1','e68793b430774d1db8341db56beff0e0','d65088d8513642beab679fdf03895abc','wrong, 0 of 9 points (seed 14655194439907, isolation bwrap)',NULL);
INSERT INTO "comment" VALUES('db4b6cfcffac4cc49aa58ed33e03a91a','e68793b430774d1db8341db56beff0e0','f02383652bc04af1b7dd98f770ad0ef2','No response.',NULL);
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
INSERT INTO "grade" VALUES('866c3b3275224f58940d9ed8e82fb88d','4d92c22584fd4efcaa66b1a62dc9e371','d65d06f99bc9401ca86d1d852c468e38',5.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('3ac0c101deb6405db3a28579bb528505','4d92c22584fd4efcaa66b1a62dc9e371','da9aa54a173b41208c940d1d2425fd82',6.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('167a19d2e9dc4a7aa9264494f8dddd9b','4d92c22584fd4efcaa66b1a62dc9e371','fea8b17c318147d099a4b7f04ec68da1',9.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('81e4771da0b5466b9ae907c26b176722','4d92c22584fd4efcaa66b1a62dc9e371','0646165439374ed0a93bebf7c7bf6275',NULL,3.5,NULL,0);
INSERT INTO "grade" VALUES('7c1ae0d7a89c4c0882e615b21f642a9e','e68793b430774d1db8341db56beff0e0','d65d06f99bc9401ca86d1d852c468e38',5.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('ab52e88c17a14a479494bfe46318cd7f','e68793b430774d1db8341db56beff0e0','da9aa54a173b41208c940d1d2425fd82',6.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('721a8e9c0730443694a50e58dfe811ce','e68793b430774d1db8341db56beff0e0','fea8b17c318147d099a4b7f04ec68da1',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('837fef74eebf4d1d95284240fae721b5','e68793b430774d1db8341db56beff0e0','0646165439374ed0a93bebf7c7bf6275',0.0,NULL,NULL,0);
CREATE TABLE grade_cells (
	id VARCHAR(32) NOT NULL, 
	max_score FLOAT NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
INSERT INTO "grade_cells" VALUES('d65d06f99bc9401ca86d1d852c468e38',5.0,'code');
INSERT INTO "grade_cells" VALUES('da9aa54a173b41208c940d1d2425fd82',6.0,'code');
INSERT INTO "grade_cells" VALUES('fea8b17c318147d099a4b7f04ec68da1',9.0,'code');
INSERT INTO "grade_cells" VALUES('0646165439374ed0a93bebf7c7bf6275',80.0,'markdown');
CREATE TABLE notebook (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	assignment_id VARCHAR(32), 
	kernelspec VARCHAR(1024), 
	PRIMARY KEY (id), 
	UNIQUE (name, assignment_id), 
	FOREIGN KEY(assignment_id) REFERENCES assignment (id)
);
INSERT INTO "notebook" VALUES('3746c95a276e42ae8386de5f8c64e1c7','lab','689603bd3e914e12998ebdabaeb40e19','{"display_name": "Python 3", "language": "python", "name": "python3"}');
CREATE TABLE solution_cells (
	id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
INSERT INTO "solution_cells" VALUES('2b425fd7d7d74366a214599710442b55');
INSERT INTO "solution_cells" VALUES('7009e0971eb648f0b1df1cec5db28804');
INSERT INTO "solution_cells" VALUES('d65088d8513642beab679fdf03895abc');
INSERT INTO "solution_cells" VALUES('f02383652bc04af1b7dd98f770ad0ef2');
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
INSERT INTO "source_cell" VALUES('5fc1aac9c2a34bb787d7ccd218cf59c5','strides-contiguous_strides-answer','code',0,'def contiguous_strides(sizes: Ints) -> Ints:
    """Strides of a freshly made tensor: the last index moves fastest, and nothing is skipped.

    Args:
        sizes: (d0, ..., dn-1), elements. A size of 0 counts as 1 here.
    Returns:
        tuple of ints, one stride per dimension, in elements.

    >>> contiguous_strides((2, 3, 4))
    (12, 4, 1)
    >>> contiguous_strides((2, 0, 3))
    (3, 3, 1)

    Source: TensorImpl::empty_tensor_restride (c10/core/TensorImpl.h).
    """
    # YOUR CODE HERE (about 6 lines)
    raise NotImplementedError("contiguous_strides")','ccc05478ed358dd6b3a5205d3e0bc95c','3746c95a276e42ae8386de5f8c64e1c7');
INSERT INTO "source_cell" VALUES('87aa67f7e83c4dbb8315943e03758798','strides-contiguous_strides','code',1,'check("strides.contiguous_strides")','23ac5cb10d45e5249bd6be447979aad5','3746c95a276e42ae8386de5f8c64e1c7');
INSERT INTO "source_cell" VALUES('b4f9aaa2449e46d496df67751538a30e','accessor-TensorAccessor-answer','code',0,'class TensorAccessor:
    """Reads and writes single elements of a strided tensor, one dimension at a time.

    Element (i0, ..., in-1) is `data[storage_offset + sum(i_d * strides[d])]`. Indexing consumes the first
    dimension: `a[i]` is an accessor for the rest, or the element itself if only one dimension was left.

    Args:
        data: flat list or 1-D array; the cells of the storage.
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
        """Cell where `a[index]` begins; a negative index counts from the end.

        Raises:
            TypeError: `index` is not an int (a bool is not one).
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
        """The accessor of `a[index]` while dimensions are left after the first, else the element.

        Raises:
            TypeError, IndexError: as `offset_of`.
        """
        # YOUR CODE HERE (about 4 lines)
        raise NotImplementedError("TensorAccessor.__getitem__")

    def __setitem__(self, index: int, value) -> None:
        """Write one element; exactly one dimension must be left.

        Raises:
            TypeError: more than one dimension is left.
            TypeError, IndexError: as `offset_of`.
        """
        # YOUR CODE HERE (about 4 lines)
        raise NotImplementedError("TensorAccessor.__setitem__")

    def __len__(self) -> int:
        if not self.sizes:
            raise TypeError("len() of a 0-dimensional accessor")
        return self.sizes[0]','4d6c0954af82230addf237921b20cafe','3746c95a276e42ae8386de5f8c64e1c7');
INSERT INTO "source_cell" VALUES('e1b90dc59c754072b061db163d6ae607','accessor-TensorAccessor','code',1,'check("accessor.TensorAccessor")','a276c28bd4af459f5726fc280ab3a5ce','3746c95a276e42ae8386de5f8c64e1c7');
INSERT INTO "source_cell" VALUES('23786a118d4748ce9dd04606b91abb46','strides-view_strides-answer','code',0,'def view_strides(sizes: Ints, strides: Ints, new_sizes: Ints) -> Ints | None:
    """Strides under which `new_sizes` reads the same elements in the same order, without a copy.

    Args:
        sizes, strides: geometry of the tensor, in elements; `len(sizes) == len(strides)`.
        new_sizes: the wanted sizes; the products of `sizes` and `new_sizes` are equal, no -1.
    Returns:
        tuple of ints, one per new dimension, or None if no strides do it. A new dimension of size 1 gets the
        stride `size * stride` of the new dimension to its right. (Nothing to the right: the last of `strides`,
        or 1 if there is none.) Without elements: the old strides if the sizes stay the same, else the
        contiguous strides of `new_sizes`.

    >>> view_strides((2, 3), (3, 1), (6,))
    (1,)
    >>> view_strides((3, 2), (1, 3), (6,)) is None
    True

    Source: computeStride_impl (aten/src/ATen/TensorUtils.cpp).
    """
    # YOUR CODE HERE (about 21 lines)
    raise NotImplementedError("view_strides")','cea683a389e3de646e81ff8b02043076','3746c95a276e42ae8386de5f8c64e1c7');
INSERT INTO "source_cell" VALUES('87104a2d39a949feb1f3cbb25c2ebe32','strides-view_strides','code',1,'check("strides.view_strides")','b69f048dfed9541cd65fb46c2743f585','3746c95a276e42ae8386de5f8c64e1c7');
INSERT INTO "source_cell" VALUES('e2beb474b1da4707b0208e25a2c21235','reflect-stride-zero','markdown',0,'YOUR ANSWER HERE','a20476f3ac4bb7c87cab96330e46ead0','3746c95a276e42ae8386de5f8c64e1c7');
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
INSERT INTO "submitted_assignment" VALUES('c686bb33040f4bbcb09f2982868eccc3','689603bd3e914e12998ebdabaeb40e19','ada',NULL,NULL);
INSERT INTO "submitted_assignment" VALUES('5d95c2810661429f8bf8e2a1651ae025','689603bd3e914e12998ebdabaeb40e19','bob',NULL,NULL);
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
INSERT INTO "submitted_notebook" VALUES('4d92c22584fd4efcaa66b1a62dc9e371','c686bb33040f4bbcb09f2982868eccc3','3746c95a276e42ae8386de5f8c64e1c7',0,NULL);
INSERT INTO "submitted_notebook" VALUES('e68793b430774d1db8341db56beff0e0','5d95c2810661429f8bf8e2a1651ae025','3746c95a276e42ae8386de5f8c64e1c7',0,NULL);
CREATE TABLE task_cells (
	id VARCHAR(32) NOT NULL, 
	max_score FLOAT NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
COMMIT;
