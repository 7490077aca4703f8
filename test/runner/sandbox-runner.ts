import { jobIn, openStage } from './sandbox-stage.ts'

/** A runner with one job, which waits for as long as it is told. When that has begun, the runner says where it is. */
const stage = await openStage()
const [, , seconds = '1'] = process.argv
const command = `echo ${stage.directory}; sleep ${seconds} & setsid sleep ${seconds}`
await stage.sandbox.start({
  ...jobIn(await stage.room(), ['/bin/sh', '-c', command]),
  onStdout: (bytes) => process.stdout.write(bytes),
  onStderr() {},
})
