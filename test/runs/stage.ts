import { createDelegatedSession } from '../../src/access/session/service/delegated-session.ts'
import { createUser } from '../../src/access/users/service.ts'
import { createApp } from '../../src/app.ts'
import { openDispatch, withScripts } from '../../src/automation/runs/service.ts'
import type { DueWork, OpenDispatch } from '../../src/automation/runs/service.ts'
import type { Assignment } from '../../src/automation/runs/protocol.ts'
import type { JobView } from '../../src/automation/runs/schema.ts'
import { commit } from '../../src/ports/database.ts'
import type { Dispatch } from '../../src/ports/dispatch.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'
import { FakeRunner, Held, RUNNER_TOKEN } from './fake-runner.ts'
import type { Wire } from './fake-runner.ts'

const NOTHING_DUE: DueWork = { runDue: () => Promise.resolve(Infinity) }

/** The whole application without a host, its clock moved by hand, with a dispatch that can be opened anew. */
export async function openRunStage(due = NOTHING_DUE) {
  const opened = await openPorts({ runnerToken: RUNNER_TOKEN })
  const { dispatch: _, ...parts } = opened.ports
  let dispatch: OpenDispatch = openDispatch(parts, due)
  const passed: Dispatch = {
    poll: (...input) => dispatch.poll(...input),
    wake: () => dispatch.wake(),
    runDue: () => dispatch.runDue(),
  }
  const ports = withScripts({ ...parts, dispatch: passed })
  const context = administratorOf(ports)
  // Without a password, whose hash takes its time.
  await createUser(context, { username: 'admin', role: 'administrator', type: 'LDAP_MANAGED' })
  const { sessionId, write } = await createDelegatedSession(ports, { userId: 1, agent: 'test' })
  await commit(ports.database, [write])
  const app = createApp(ports)
  const wire: Wire = async (path, call) => {
    const response = await app.fetch(new Request(`http://stage${path}`, call))
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()), isJson }
  }
  const ask = async <Body>(method: string, path: string, json?: unknown): Promise<Body> => {
    const headers = { 'x-session-id': sessionId }
    const said = await wire(path, {
      method,
      headers: { ...headers, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(json !== undefined && { body: typeof json === 'string' ? json : JSON.stringify(json) }),
    })
    const text = new TextDecoder().decode(said.bytes)
    if (said.status > 299) throw new Error(`${method} ${path} was answered ${said.status}: ${text}`)
    return (text === '' ? null : JSON.parse(text)) as Body
  }
  let made = 0
  return {
    ...opened,
    ports,
    wire,
    ask,
    get dispatch() {
      return dispatch
    },
    /** As when the process was started anew: what waits in memory is gone. */
    restart() {
      dispatch.close()
      dispatch = openDispatch(parts, due)
    },
    async script(settings: object = {}) {
      const { id } = await ask<{ id: number }>('POST', '/scripts', { name: `script ${++made}` })
      await ask('PUT', `/scripts/${id}/files/run.sh`, 'true\n')
      const configuration = { name: 'only', ...settings }
      const { id: configurationId } = await ask<{ id: number }>(
        'POST',
        `/scripts/${id}/runConfigurations`,
        configuration,
      )
      return {
        id,
        configurationId,
        order: () => ask<JobView>('POST', `/scripts/${id}/run`, {}),
        read: (jobId: string) => ask<JobView>('GET', `/scripts/${id}/jobs/${jobId}`),
      }
    },
    async runner(about: ConstructorParameters<typeof FakeRunner>[1] = {}) {
      const runner = new FakeRunner(wire, about)
      await runner.register()
      return runner
    },
    held: (runner: FakeRunner, assignment: Assignment) => new Held(runner, assignment),
  }
}
