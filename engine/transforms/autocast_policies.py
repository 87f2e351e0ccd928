"""The policies of autocast: which operators compute in which dtype, on which device.

The lists are PyTorch's, in its order, as far as the engine has the operators; all others fall through, and compute in
the dtypes that they get. Mirrors AT_FORALL_* (aten/src/ATen/autocast_mode.h) for CUDA, and the registrations of
AutocastCPU (aten/src/ATen/autocast_mode.cpp).
"""

POLICIES: dict[str, dict[str, str]] = {
    # Products, which are fast in few bits: their inputs are cast to the lower-precision dtype.
    "lower_precision_fp": {
        "cpu": """
            conv1d conv1d.padding conv2d conv2d.padding bmm mm baddbmm addmm _addmm_activation addbmm linear matmul
            conv_transpose1d conv_transpose2d.input prelu scaled_dot_product_attention
        """,
        "cuda": """
            _convolution conv1d conv2d conv_transpose1d conv_transpose2d.input convolution prelu addmm addmv addr matmul
            einsum mm mv linear addbmm baddbmm bmm chain_matmul scaled_dot_product_attention
        """,
    },
    # Functions that overflow or lose digits in few bits: their inputs are cast to float32.
    "fp32": {
        "cpu": """
            binary_cross_entropy prod prod.dim_int trace reflection_pad1d reflection_pad2d replication_pad1d
            replication_pad2d replication_pad3d mse_loss nll_loss nll_loss2d smooth_l1_loss cross_entropy_loss l1_loss
            huber_loss kl_div binary_cross_entropy_with_logits
        """,
        "cuda": """
            acos asin cosh exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow.Tensor_Scalar pow.Tensor_Tensor
            pow.Scalar softplus layer_norm native_layer_norm rms_norm group_norm cosine_similarity nll_loss nll_loss2d
            kl_div l1_loss smooth_l1_loss huber_loss mse_loss binary_cross_entropy_with_logits logsumexp
            upsample_nearest1d upsample_nearest2d upsample_nearest3d
        """,
    },
    # Sums: the result is float32 unless a dtype is given. The kernel casts as it reads, so the input is left alone.
    "fp32_set_opt_dtype": {
        "cuda": """
            prod prod.dim_int softmax.int log_softmax.int cumprod cumsum linalg_vector_norm sum sum.dim_IntList
        """,
    },
    # The same for overloads without a dtype: the one in APPENDED is called instead.
    "fp32_append_dtype": {"cuda": "norm.Scalar norm.ScalarOpt_dim"},
    # Operators that want one dtype for several inputs: the widest among them.
    "promote": {
        "cpu": "stack cat index_copy",
        "cuda": "addcdiv addcmul atan2 bilinear dot vdot index_put tensordot scatter_add",
    },
    "banned": {"cuda": "binary_cross_entropy"},
}
"""policy -> device type -> operators, without "aten::". Each policy is a function of `autocast.py`."""

APPENDED = {"norm.Scalar": "norm.ScalarOpt_dtype", "norm.ScalarOpt_dim": "norm.ScalarOpt_dim_dtype"}
"""An operator -> its overload that takes a dtype as its last argument."""
