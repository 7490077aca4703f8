import { parentPort } from 'node:worker_threads'

import { jobIn, openStage } from './sandbox-stage.ts'

/** Tries to start a job from a thread of its own, and says what became of it. */
const stage = await openStage({ demand: 'off' })
const start = { ...jobIn('/tmp', ['true']), writable: [], onStdout() {}, onStderr() {} }
const said = await stage.sandbox.start(start).then(
  () => 'started',
  (error: Error) => error.message,
)
await stage.close()
parentPort?.postMessage(said)
