import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { importPackage } from '../../src/automation/packages/service.ts'
import { exportScripts } from '../../src/automation/packages/service/export.ts'
import { eachScript, PACKAGE_BOUNDS } from '../../src/automation/packages/service/reader.ts'
import { PACKED_MAX_BYTES, withForm } from '../../src/automation/packages/service/upload.ts'
import { createGroup, deleteGroup } from '../../src/automation/scripts/groups/service.ts'
import { scriptBody } from '../../src/automation/scripts/schema.ts'
import { createScript } from '../../src/automation/scripts/service.ts'
import { findScript } from '../../src/automation/scripts/service/changes.ts'
import { runnableOf } from '../../src/automation/scripts/service/runnable.ts'
import { readSettings } from '../../src/automation/scripts/settings/service.ts'
import { sweepBlobs } from '../../src/content/blobs/service.ts'
import type { Context } from '../../src/context.ts'
import { heldSource } from '../../src/lib/zip/source.ts'
import type { Ports } from '../../src/ports/index.ts'
import { rejection } from '../contract/rejection.ts'
import { mortalPorts } from '../hosts/mortal-ports.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'
import { Mortal } from '../engine/mortal.ts'
import { craft, utf8 } from '../packages/crafted.ts'

const HOUR_MS = 3_600_000
const MIB = 1024 * 1024

let opened: Awaited<ReturnType<typeof openPorts>>
let context: Context
beforeEach(async () => {
  opened = await openPorts()
  context = administratorOf(opened.ports)
  await opened.ports.database.run(
    `insert into users (id, username, role, type, fullname, email, phone, language, time_zone, password_hash, version, created_at)
     values (1, 'admin', 'administrator', '', '', '', '', 'en', 'UTC', '', 1, 0)`,
  )
})
afterEach(() => opened.close())

const FIELDS = { readMetadata: true, toImport: undefined, overwrite: true }

describe('wherever a process dies', () => {
  for (const ends of ['before', 'after'] as const) {
    test(`${ends} a step of an import, each script is there whole or as it was, and nothing is left over an hour later`, async () => {
      let deaths = 0
      for (let diesAt = 1; ; diesAt++) {
        const name = `script-${ends}-${diesAt}`
        await imported(context, name, 'old')
        const mortal = new Mortal(diesAt, ends)
        const dying = administratorOf(mortalPorts(mortal, opened.ports))
        await imported(dying, name, 'new').catch(() => undefined)
        if (!mortal.isDead) await imported(dying, `${name}-another`, 'new').catch(() => undefined)
        const whole = ['old', 'new'].map((text) => [
          `a ${text}`,
          `b ${text}`,
          `configuration ${text}`,
          'schedule',
        ])
        expect(whole).toContainEqual(await stateOf(name))
        if (await findScript(opened.ports, `${name}-another`))
          expect(await stateOf(`${name}-another`)).toEqual([
            'a new',
            'b new',
            'configuration new',
            'schedule',
          ])
        opened.clock.at += HOUR_MS + 1
        await sweepBlobs(opened.ports)
        expect(await blobs(opened.ports)).toEqual(await blobsOfRows())
        if (!mortal.isDead) break
        deaths++
      }
      // Two files, each with a note and the blob, and a commit: twice.
      expect(deaths).toBe(10)
    })
  }
})

test('what is overwritten keeps its tokens, with the run configurations that they are for', async () => {
  const { database } = opened.ports
  await imported(context, 'kept', 'old')
  const { view: settings } = await readSettings(context, 'kept')
  const row = await findScript(opened.ports, 'kept')
  await database.run(
    `insert into webhook_tokens (script_id, run_configuration_id, name, hash, user_id, created_at)
     values (${row?.id}, ${settings.runConfigurations[0]?.id}, 'token', 'x', 1, 0)`,
  )
  const read = () => database.all('select * from webhook_tokens')
  const before = await read()
  expect(before).toHaveLength(1)
  await imported(context, 'kept', 'new')
  expect(await stateOf('kept')).toEqual(['a new', 'b new', 'configuration new', 'schedule'])
  expect(await read()).toEqual(before)
})

test('ids that somebody else takes meanwhile are chosen anew', async () => {
  const { ports } = opened
  let taken = 0
  const raced = new Proxy(ports.database, {
    get(target, name): unknown {
      const found: unknown = Reflect.get(target, name)
      if (name === 'all')
        return async (query: Parameters<typeof target.all>[0]) => {
          const rows = await target.all(query)
          const isChoice = JSON.stringify(rows).includes('runConfigurationId')
          if (isChoice && taken++ < 2)
            await createScript(context, scriptBody.parse({ name: `faster ${taken}` }))
          return rows
        }
      return typeof found === 'function' ? found.bind(target) : found
    },
  })
  await imported(administratorOf({ ...ports, database: raced }), 'slower', 'new')
  expect(taken).toBe(3)
  expect(await stateOf('slower')).toEqual(['a new', 'b new', 'configuration new', 'schedule'])
})

test('a group that goes while a script is imported into it is refused', async () => {
  const { ports } = opened
  await imported(context, 'first', 'old')
  const going: Ports = {
    ...ports,
    blobs: {
      ...ports.blobs,
      async put(key, body) {
        await ports.blobs.put(key, body)
        await deleteGroup(context, view.id).catch(() => undefined)
      },
    },
  }
  const { view } = await createGroup(context, { name: 'going', description: '' })
  const importing = imported(administratorOf(going), 'second', 'new', view.id)
  expect(await rejection(importing)).toMatchObject({ code: 'invalid' })
  expect(await findScript(ports, 'second')).toBeNull()
})

describe('an archive as it is sent', () => {
  test('may have 100 MB, and no more', async () => {
    const { ports } = opened
    const sizes: number[] = []
    const light: Ports = {
      ...ports,
      blobs: {
        ...ports.blobs,
        async put(_, body) {
          let sizeBytes = 0
          if (body instanceof ReadableStream) for await (const chunk of body) sizeBytes += chunk.byteLength
          sizes.push(sizeBytes)
        },
      },
    }
    expect(PACKED_MAX_BYTES).toBe(100_000_000)
    const size = await withForm(light, formOf(PACKED_MAX_BYTES), ({ source }) =>
      Promise.resolve(source.sizeBytes),
    )
    expect([size, ...sizes]).toEqual([PACKED_MAX_BYTES, PACKED_MAX_BYTES])
    const refused = withForm(light, formOf(PACKED_MAX_BYTES + 1), () => Promise.resolve())
    expect(await rejection(refused)).toMatchObject({ code: 'too_large' })
  })

  test('is removed once it was worked on, well or not, and left to the sweep where that fails', async () => {
    const { ports, clock } = opened
    const { blobs: kept } = ports
    const size = 8 * MIB + 1
    const during = await withForm(ports, formOf(size), () => blobs(ports))
    expect(during).toHaveLength(1)
    expect(await blobs(ports)).toEqual([])
    await rejection(withForm(ports, formOf(size), () => Promise.reject(new Error('not well'))))
    expect(await blobs(ports)).toEqual([])
    const failing: Ports = {
      ...ports,
      blobs: { ...kept, delete: () => Promise.reject(new Error('not now')) },
    }
    await withForm(failing, formOf(size), () => Promise.resolve())
    expect(await blobs(ports)).toHaveLength(1)
    clock.at += HOUR_MS + 1
    await sweepBlobs(ports)
    expect(await blobs(ports)).toEqual([])
    expect(await withForm(ports, formOf(size - 1), () => blobs(ports))).toEqual([])
  })

  test('is refused while ten others are worked on or wait', async () => {
    let end: () => void = () => undefined
    const until = new Promise<void>((resolve) => (end = resolve))
    const all = Array.from({ length: 10 }, () => withForm(opened.ports, formOf(1), () => until))
    expect(await rejection(withForm(opened.ports, formOf(1), () => until))).toMatchObject({
      code: 'overloaded',
    })
    end()
    await Promise.all(all)
    await withForm(opened.ports, formOf(1), () => until)
  })
})

test('archives come to 500 MB unpacked together, and no more', async () => {
  const bounds = { ...PACKAGE_BOUNDS, unpackedMaxBytes: 3_000 }
  expect(PACKAGE_BOUNDS.unpackedMaxBytes).toBe(500_000_000)
  const inner = craft([{ name: 'main.py', data: 'x'.repeat(900) }])
  const sizeBytes = 2 * (inner.byteLength + 900)
  const of = (more: number) => ({ ...bounds, unpackedMaxBytes: sizeBytes + more })
  const two = craft(['a.zip', 'b.zip'].map((name) => ({ name, data: inner })))
  const sent = { source: heldSource(two), file: 'x.zip', isMetadataRead: true }
  const seen: string[] = []
  const visit = ({ name }: { readonly name: string }) => Promise.resolve(void seen.push(name))
  expect(await eachScript(opened.ports, sent, visit, of(0))).toEqual([])
  expect(await eachScript(opened.ports, sent, visit, of(-1))).toMatchObject([
    { refusal: { code: 'zip_unsafe' } },
  ])
  expect(seen).toEqual(['a', 'b', 'a'])
})

test('an export has as many scripts, files and bytes as an import takes, and no more', async () => {
  for (const name of ['one', 'two']) await imported(context, name, 'x'.repeat(98))
  const export_ = (bounds: Partial<typeof PACKAGE_BOUNDS>) =>
    exportScripts(context, { scriptIds: [], groupIds: [], all: true }, { ...PACKAGE_BOUNDS, ...bounds })
  for (const [bound, most] of [
    ['scriptsMax', 2],
    // The manifest, and of each script its archive, its metadata and two files.
    ['entriesMax', 9],
    // Four files of 100 bytes, packed and unpacked.
    ['unpackedMaxBytes', 800],
  ] as const) {
    expect((await export_({ [bound]: most })).name).toBe('scripts_2026-03-02.zip')
    expect(await rejection(export_({ [bound]: most - 1 }))).toMatchObject({ code: 'invalid' })
  }
})

/** A script with two files, a run configuration and a schedule for it, as an archive brings it. */
function imported(by: Context, name: string, text: string, groupId: number | null = null) {
  const metadata = {
    name,
    description: text,
    runConfigurations: [{ name: 'configuration', kind: 'standard', arguments: [text] }],
    scheduleConfigurations: [{ name: 'schedule', cron: '0 3 * * *', runConfiguration: 'configuration' }],
  }
  const archive = craft([
    { name: 'a', data: `a ${text}` },
    { name: 'b', data: `b ${text}` },
    { name: 'script_metadata.json', data: JSON.stringify(metadata) },
  ])
  return importPackage(by, { source: heldSource(archive), file: 'x.zip' }, { ...FIELDS, groupId })
}

async function stateOf(name: string): Promise<string[]> {
  const { view: settings } = await readSettings(context, name)
  const { files } = await runnableOf(opened.ports, name, 0)
  const texts = await Promise.all(
    files.map(async ({ blob }) => new Response((await opened.ports.blobs.get(blob))?.body).text()),
  )
  const [configuration] = settings.runConfigurations
  const [schedule] = settings.scheduleConfigurations
  expect(settings.description).toBe(configuration?.arguments[0] ?? '')
  expect(schedule?.runConfigurationId).toBe(configuration?.id)
  return [...texts, `configuration ${configuration?.arguments[0]}`, String(schedule?.name)]
}

async function blobs(ports: Ports): Promise<string[]> {
  return (await ports.blobs.list('')).sort()
}

async function blobsOfRows(): Promise<string[]> {
  const rows = await opened.ports.database.all<{ blob: string }>(
    'select blob from script_files order by blob',
  )
  return rows.map(({ blob }) => blob)
}

/** A form with a file of so many bytes, as it comes. */
function formOf(sizeBytes: number): Request {
  const chunk = new Uint8Array(256 * 1024)
  let left = sizeBytes
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(utf8('--b\r\nContent-Disposition: form-data; name="file"; filename="x.zip"\r\n\r\n'))
    },
    pull(controller) {
      const next = chunk.subarray(0, Math.min(left, chunk.byteLength))
      left -= next.byteLength
      if (next.byteLength > 0) return controller.enqueue(next)
      controller.enqueue(utf8('\r\n--b--\r\n'))
      controller.close()
    },
  })
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  return new Request('http://localhost/', { method: 'POST', headers, body })
}
