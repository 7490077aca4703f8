import * as fc from 'fast-check'

/** The seed of all random cases: the same in each run of the gate. `npm run test:seeds` takes a new one. */
export const SEED = Number(process.env['TIDEMARK_TEST_SEED'] ?? 20_261_126)

fc.configureGlobal({ seed: SEED })

// Settings of `workers/gate.sh` for the processes of tests. The service that tests start runs as users start it.
for (const name of ['BUN_JSC_useFTLJIT', 'BUN_GC_TIMER_DISABLE', 'MIMALLOC_PURGE_DELAY'])
  delete process.env[name]
