import { lightHash } from './light-hash.ts'

// In place of `workers/edge/hashing.ts`.
export const scryptBeside = lightHash
