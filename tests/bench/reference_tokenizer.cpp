#include "tests/bench/reference_tokenizer.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "common/base/error.h"
#include "tests/support/paths.h"

namespace dflash::bench {

ReferenceTokenizer::ReferenceTokenizer(const std::filesystem::path& python, const std::filesystem::path& documents) {
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) throw Error(ErrorKind::internal, "no pipe");
  const std::string script = test::source_dir() / "tests" / "bench" / "reference_tokenizer.py";
  pid_ = fork();
  if (pid_ == 0) {
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    setenv("TOKENIZERS_PARALLELISM", "false", 1);
    setenv("RAYON_NUM_THREADS", "1", 1);
    execl(python.c_str(), python.c_str(), script.c_str(), documents.c_str(), nullptr);
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  to_ = fdopen(to[1], "w");
  from_ = fdopen(from[0], "r");
  version_ = read_line();
}

ReferenceTokenizer::~ReferenceTokenizer() {
  std::fclose(to_);  // it ends when there is no more to read
  std::fclose(from_);
  waitpid(pid_, nullptr, 0);
}

std::string ReferenceTokenizer::read_line() {
  std::string line;
  for (int byte = 0; (byte = std::fgetc(from_)) != '\n'; line += static_cast<char>(byte)) {
    if (byte == EOF) throw Error(ErrorKind::internal, "reference_tokenizer.py has ended; its error stands above");
  }
  return line;
}

std::string ReferenceTokenizer::ask(const std::string& line) {
  std::fprintf(to_, "%s\n", line.c_str());
  std::fflush(to_);
  return read_line();
}

}  // namespace dflash::bench
