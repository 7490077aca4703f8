import { openStage } from './sandbox-stage.ts'

/** Prints the isolation of a sandbox on this machine that demands the full one. */
const stage = await openStage({ demand: 'required' })
const { isolation, missing, refusal } = stage.sandbox
process.stdout.write(JSON.stringify({ isolation, missing, refusal }))
await stage.close()
