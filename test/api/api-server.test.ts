import { startRemote } from '../hosts/start.ts'
import { backupsSuite } from './backups.suite.ts'
import { deliveriesSuite } from './deliveries.suite.ts'
import { SUITES, testInterface } from './interface.ts'
import { EVERY_ROW } from './suite.ts'
import { treeSuite } from './tree.suite.ts'

/** A database on a server is the same port as one in a file and has its contract: these suites use most of it and stand
 * for all, unless `npm run test:server` asks for all. */
const IN_THE_GATE = [treeSuite, deliveriesSuite, backupsSuite]

testInterface('bun with a libSQL server', startRemote, EVERY_ROW ? SUITES : IN_THE_GATE)
