import { openEdgeDatabases } from '../../workers/edge/databases.ts'
import { PermitCounter } from '../../workers/databases/permits.ts'
import { answerCall } from './database-calls.ts'
import type { DatabaseCall } from './database-calls.ts'

const counter = new PermitCounter(() => Date.now())

// Calls the port from within workerd, as the body says.
// oxlint-disable-next-line import/no-default-export -- a worker's entry point is one
export default {
  async fetch(request: Request): Promise<Response> {
    const { allowed, ...call } = (await request.json()) as DatabaseCall & {
      readonly allowed: readonly string[]
    }
    const permits = {
      async take(ask: Parameters<PermitCounter['take']>[0]) {
        const id = await counter.take(ask)
        return { leave: () => Promise.resolve(counter.leave(id)) }
      },
    }
    return Response.json(await answerCall(openEdgeDatabases(permits, new Set(allowed)), call))
  },
}
