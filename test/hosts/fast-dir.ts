import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'

/** Where hosts keep their data when no test takes their power away: what is flushed there waits for no disk. */
export const FAST_DIR = existsSync(MEMORY) ? MEMORY : tmpdir()
