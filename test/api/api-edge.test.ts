import { startHost } from '../hosts/start.ts'
import { testInterface } from './interface.ts'

testInterface('edge', (variables) => startHost('edge', variables))
