import { scryptInPool } from '../../workers/secrets.ts'

// The edge's hash as the platform has it: nothing else is done meanwhile.
export const scryptBeside = scryptInPool
