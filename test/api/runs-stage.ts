import type { AboutRunner } from '../../src/automation/runs/protocol.ts'
import type { JobView } from '../../src/automation/runs/schema.ts'
import { FakeRunner } from '../runs/fake-runner.ts'
import type { Held, Wire } from '../runs/fake-runner.ts'
import type { Client, Request } from './client.ts'
import { good } from './suite.ts'

/** A runner whose calls are held against the OpenAPI document like all others. */
export async function runnerOf(client: Client, about: Partial<AboutRunner> = {}): Promise<FakeRunner> {
  const wire: Wire = async (path, { method, headers, body, signal }) => {
    const asked: Request = {
      as: null,
      headers,
      ...(typeof body === 'string' && { text: body }),
      ...(body instanceof Uint8Array && { bytes: body }),
      ...(signal && { signal }),
    }
    const { status, bytes, headers: got } = await client.request(method, path, asked)
    return { status, bytes, isJson: got.get('content-type')?.includes('json') ?? false }
  }
  const runner = new FakeRunner(wire, { capabilities: ['shell'], ...about })
  const { status } = await runner.register()
  if (status !== 200) throw new Error(`A runner was not registered: ${status}.`)
  return runner
}

let scripts = 0

/** A script of its own, with a file that runs: `main.py`, which no runner of these tests takes, or `run.sh`.
 * @param settings beside its name */
export async function scriptOf(client: Client, settings: object = {}, file = 'main.py'): Promise<number> {
  const name = `run ${++scripts}`
  const { id } = await good<{ id: number }>(
    client.request('POST', '/scripts', { json: { name, ...settings } }),
  )
  await good(client.request('PUT', `/scripts/${id}/files/${file}`, { text: 'true\n' }))
  return id
}

export async function configurationOf(
  client: Client,
  scriptId: number,
  settings: object = {},
): Promise<number> {
  const json = { name: `configuration ${++scripts}`, ...settings }
  const made = client.request('POST', `/scripts/${scriptId}/runConfigurations`, { json })
  return (await good<{ id: number }>(made)).id
}

export function order(client: Client, scriptId: number, json: object = {}): Promise<JobView> {
  return good<JobView>(client.request('POST', `/scripts/${scriptId}/run`, { json }))
}

export function read(client: Client, scriptId: number, id: string): Promise<JobView> {
  return good<JobView>(client.request('GET', `/scripts/${scriptId}/jobs/${id}`))
}

/** A script with a runner of its own, by a label that no other runner has. */
export async function stageOf(client: Client, settings: object = {}) {
  const label = `only-${++scripts}`
  const scriptId = await scriptOf(client, {}, 'run.sh')
  const configurationId = await configurationOf(client, scriptId, { runnerLabels: [label], ...settings })
  const runner = await runnerOf(client, { name: label, labels: [label] })
  return {
    label,
    scriptId,
    configurationId,
    runner,
    order: (json: object = {}) => order(client, scriptId, { runConfigurationId: configurationId, ...json }),
    read: (id: string) => read(client, scriptId, id),
    /** A run that has begun. */
    begun: async (json: object = {}): Promise<Held> => {
      await order(client, scriptId, { runConfigurationId: configurationId, ...json })
      const held = await runner.next()
      await held.begin()
      return held
    },
  }
}

/** A form as it is sent. */
export async function formOf(
  parts: readonly (readonly [
    name: string,
    value: string | { name: string; type: string; bytes: string | Uint8Array<ArrayBuffer> },
  ])[],
): Promise<Request> {
  const form = new FormData()
  for (const [name, value] of parts) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, new Blob([value.bytes], { type: value.type }), value.name)
  }
  const sent = new Response(form)
  const headers = { 'content-type': sent.headers.get('content-type') ?? '' }
  return { bytes: new Uint8Array(await sent.arrayBuffer()), headers }
}
