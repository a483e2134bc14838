// The precompiled header of the rooms that see LibTorch: the dear part of every such file, read once.
#pragma once

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>
#include <string>
#include <vector>
