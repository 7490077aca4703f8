import { openStage } from './sandbox-stage.ts'

/** Says what a sandbox is here that takes no less than all. */
const stage = await openStage({ demand: 'required' })
const { isolation, missing, refusal } = stage.sandbox
process.stdout.write(JSON.stringify({ isolation, missing, refusal }))
await stage.close()
