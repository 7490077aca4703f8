import { scryptInPool } from '../../workers/secrets.ts'

// In place of `workers/edge/hashing.ts`: the scrypt of workerd, during which the isolate does nothing else.
export const scryptBeside = scryptInPool
