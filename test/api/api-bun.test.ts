import { startHost } from '../hosts/start.ts'
import { testInterface } from './interface.ts'

testInterface('bun', (variables) => startHost('bun', variables))
