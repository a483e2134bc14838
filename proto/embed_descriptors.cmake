# cmake -DINPUT=x.bin -DOUTPUT=x.cpp -P embed_descriptors.cmake: the bytes of INPUT as run_config_descriptors().
file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE "${OUTPUT}" "#include \"proto/run_config_descriptors.h\"

namespace dflash {
namespace {
constexpr char kBytes[] = {${bytes}};
}
std::string_view run_config_descriptors() { return {kBytes, sizeof(kBytes)}; }
}  // namespace dflash
")
