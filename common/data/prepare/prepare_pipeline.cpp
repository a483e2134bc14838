#include "common/data/prepare/prepare_pipeline.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>

#include "common/base/cores.h"
#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/prepare/byte_budget.h"
#include "common/pipeline/bounded_queue.h"
#include "common/pipeline/stage_thread.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

constexpr auto kPause = 200ms;  // between two looks at the sink while nothing comes
constexpr int64_t kBytesOnTheirWay = int64_t{256} << 20;

/// A chunk, and where the caller waits for what becomes of it.
struct Work {
  RowChunk chunk;
  std::promise<PreparedChunk> promise;
};
struct Awaited {
  std::future<PreparedChunk> future;
  int64_t bytes = 0;
};

/// What goes wrong with a row in spite of everything is told with its place.
PreparedRow prepare_row(RowPreparer& preparer, const Line& line, RowShape shape, const std::string& file) {
  try {
    return preparer.prepare(line, shape);
  } catch (const Error& error) {
    throw Error(error.kind(), format("{}:{}: {}", file, line.number, error.what()));
  } catch (const std::exception& error) {
    throw Error(ErrorKind::internal, format("{}:{}: {}", file, line.number, error.what()));
  }
}

/// Ends early once `stopped`: then nobody wants it.
PreparedChunk prepare_chunk(RowPreparer& preparer, RowChunk& chunk, const std::string& file,
                            const std::atomic<bool>& stopped) {
  PreparedChunk prepared{chunk.file, std::move(chunk.opened), {}, chunk.done_bytes};
  prepared.rows.reserve(chunk.rows.size());
  for (const RowChunk::Row& row : chunk.rows) {
    if (stopped) break;
    prepared.rows.push_back(prepare_row(preparer, chunk.line(row), chunk.shape, file));
  }
  return prepared;
}

class Pipeline {
 public:
  Pipeline(const std::vector<std::string>& files, const PrepareSettings& settings, const PrepareTexts& texts,
           InputPosition start, size_t workers)
      : files_(files),
        reader_(files, settings, start),
        budget_(kBytesOnTheirWay),
        work_(4 * workers + 4),
        awaited_(4 * workers + 4) {
    for (size_t i = 0; i < workers; ++i) {
      preparers_.push_back(std::make_unique<RowPreparer>(settings, texts, TemplateAllowance{.stop = &stopped_}));
    }
  }
  ~Pipeline() { stop(); }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  void start() {
    const auto on_error = [this](const std::exception_ptr&) { end_of_input(); };
    for (const auto& preparer : preparers_) {
      threads_.push_back(
          std::make_unique<StageThread>("prepare rows", [this, &preparer = *preparer] { work(preparer); }, on_error));
    }
    reading_ = std::make_unique<StageThread>("read rows", [this] { read(); }, on_error);
  }

  /// False when the sink ended it.
  bool run(RowSink& sink) {
    for (Awaited next; pop(next, sink);) {
      while (next.future.wait_for(kPause) != std::future_status::ready) {
        if (!sink.go_on()) return false;
      }
      give(next.future.get(), sink);
      budget_.give_back(next.bytes);
      if (!sink.go_on()) return false;
    }
    if (stopped_by_sink_) return false;
    reading_->join();
    if (reading_->error()) std::rethrow_exception(reading_->error());
    return true;
  }

 private:
  void read() {
    for (RowChunk chunk; reader_.next(chunk);) {
      const auto bytes = static_cast<int64_t>(chunk.text.size());
      if (!budget_.take(bytes)) return;
      Work work{std::move(chunk), {}};
      Awaited awaited{work.promise.get_future(), bytes};
      if (!push(awaited_, std::move(awaited)) || !push(work_, std::move(work))) return;
    }
    end_of_input();
  }

  void work(RowPreparer& preparer) {
    for (Work work; pop(work_, work);) {
      try {
        work.promise.set_value(prepare_chunk(preparer, work.chunk, files_[work.chunk.file], stopped_));
      } catch (const std::exception&) {  // thrown again where the caller waits for this chunk
        work.promise.set_exception(std::current_exception());
      }
    }
  }

  static void give(const PreparedChunk& chunk, RowSink& sink) {
    if (chunk.opened) sink.opened(*chunk.opened);
    for (const PreparedRow& row : chunk.rows) sink.row(row, {chunk.file, row.line});
    sink.reached(chunk.done_bytes);
  }

  /// False at the end of the input, and when the sink ends it.
  bool pop(Awaited& next, RowSink& sink) {
    for (;;) {
      const QueueStatus status = awaited_.pop(next, Deadline::after(kPause));
      if (status != QueueStatus::timeout) return status == QueueStatus::ok;
      stopped_by_sink_ = !sink.go_on();
      if (stopped_by_sink_) return false;
    }
  }

  // These two wait as long as the other side works: it closes the queue when it ends, whatever ends it.
  template <typename T>
  static bool pop(BoundedQueue<T>& queue, T& item) {
    QueueStatus status = QueueStatus::timeout;
    while (status == QueueStatus::timeout) status = queue.pop(item, Deadline::after(kPause));
    return status == QueueStatus::ok;
  }
  template <typename T>
  static bool push(BoundedQueue<T>& queue, T&& item) {
    QueueStatus status = QueueStatus::timeout;
    while (status == QueueStatus::timeout) status = queue.push(std::move(item), Deadline::after(kPause));
    return status == QueueStatus::ok;
  }

  /// What is queued is still worked on.
  void end_of_input() {
    work_.close();
    awaited_.close();
  }
  /// Nothing more is wanted: whoever waits ends.
  void stop() {
    stopped_ = true;
    end_of_input();
    budget_.close();
    for (Work dropped; pop(work_, dropped);) {
    }
  }

  const std::vector<std::string>& files_;
  std::atomic<bool> stopped_ = false;  // looked at between rows, and in a row between its renderings
  std::vector<std::unique_ptr<RowPreparer>> preparers_;
  ChunkReader reader_;
  ByteBudget budget_;
  BoundedQueue<Work> work_;
  BoundedQueue<Awaited> awaited_;
  bool stopped_by_sink_ = false;
  std::vector<std::unique_ptr<StageThread>> threads_;  // these last: they end before what they use
  std::unique_ptr<StageThread> reading_;
};

}  // namespace

int worker_count(const PrepareSettings& settings) {
  return settings.threads > 0 ? settings.threads : available_cores();
}

bool run_prepare_pipeline(const std::vector<std::string>& files, const PrepareSettings& settings,
                          const PrepareTexts& texts, InputPosition start, RowSink& sink) {
  Pipeline pipeline(files, settings, texts, start, static_cast<size_t>(worker_count(settings)));
  pipeline.start();
  return pipeline.run(sink);
}

}  // namespace dflash
