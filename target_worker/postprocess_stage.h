// PostprocessStage: who post-processes what the forward hands on: a thread of its own, or the forward's thread itself.
//
//   Landed<Buffer> states = stage.free_set();  ... the forward fills it ...  stage.submit({leased, states});
//   stage.finish();
//
// With a thread the next forward starts while the last pack is laid into its slot and sent; the results are the same
// bits. Threading: the forward's thread calls all of it. Owns: the capture buffers, kCaptureSets
// with a thread, else one.
#pragma once

#include <memory>

#include "common/pipeline/bounded_queue.h"
#include "common/pipeline/stage_thread.h"
#include "target_worker/postprocess.h"

namespace dflash {

class PostprocessStage {
 public:
  /// `postprocess` must outlive the stage. With a thread it reports to `where`, else to worker.where() like the
  /// forward.
  PostprocessStage(const WorkerContext& worker, Device& device, const BatchLayout& layout, Postprocess& postprocess,
                   const Whereabouts& where, bool own_thread);
  /// What is handed on and not yet sent is given up.
  ~PostprocessStage();
  PostprocessStage(const PostprocessStage&) = delete;
  PostprocessStage& operator=(const PostprocessStage&) = delete;

  /// Waits for capture buffers that are not in use. Here and below, an error of the thread is rethrown, with
  /// worker.where() set to the stage and the batch at which it happened.
  [[nodiscard]] Landed<Buffer> free_set();
  /// Hands on what the forward's stream fills, or will have filled.
  void submit(CapturedPack&& captured);
  /// Waits until everything handed on is sent.
  void finish();

 private:
  void run();
  /// Runs `call`; what the thread threw meanwhile comes out of it.
  template <typename Call>
  void with_errors_of_the_thread(Call call);

  const WorkerContext& worker_;
  Postprocess& postprocess_;
  const Whereabouts& where_;
  Pool sets_;
  BoundedQueue<CapturedPack> captured_{kCaptureSets};
  std::unique_ptr<StageThread> thread_;  // null: the caller's thread does it
};

}  // namespace dflash
