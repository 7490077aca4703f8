import { expect } from 'bun:test'

import { crc32, deflateRawSync } from 'node:zlib'

import { craft, DEFLATED, utf8 } from '../packages/crafted.ts'
import type { Part } from '../packages/crafted.ts'
import { HOSTILE } from '../packages/hostile.ts'
import type { Answer, Client, Request } from './client.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Script = {
  readonly id: number
  readonly name: string
  readonly groupId: number
  readonly timeout: number
}
type Failed = { readonly file: string | null; readonly name: string | null; readonly code: string }
type Uploaded = {
  readonly imported: readonly {
    id: number
    name: string
    action: string
    groupId: number
    missingSecrets: string[]
  }[]
  readonly errors: readonly Failed[]
}
type Analysed = {
  readonly scripts: readonly {
    file: string
    name: string
    group: string | null
    groupExists: boolean
    runner: string | null
    files: { path: string; size: number; change: string }[]
    conflict: {
      scriptId: number
      identical: boolean
      removedFiles: string[]
      dependents: { count: number }
    } | null
    missingSecrets: string[]
    missingDataSources: string[]
    warnings: string[]
  }[]
  readonly errors: readonly Failed[]
}

const MIB = 1024 * 1024
const UPLOAD = '/scripts/upload-zip'
const CANARIES = ['canary of a secret', 'canary of a password', 'canary of a token']
/** As deep as trees of scripts may be. */
const FILES = { 'main.py': 'print(1)', 'lib/für.txt': 'a text', 'lib/deep/data.bin': '\0\u0001' }

const stage = once(async (client) => {
  const { id } = await good<Script>(client.request('POST', '/scripts/groups', { json: { name: 'packages' } }))
  return { group: id }
})

const CALLS = [
  ['POST /scripts/export', { json: { all: true } }],
  ['POST /scripts/groups/{group}/analyze-zip', sent(zip({ 'main.py': '' }))],
  ['POST /scripts/groups/{group}/upload-zip', sent(zip({ 'main.py': '' }))],
  ['POST /scripts/upload-zip', sent(zip({ 'main.py': '' }))],
] as const

const refusals: readonly Row[] = [
  ...CALLS.flatMap(([call, request]): Row[] => [
    { title: 'a request without credentials', call, ...request, as: null, answers: 'unauthenticated' },
    ...(['editor', 'collector', 'Data_Editor', 'dashboard_viewer'] as const).map((as): Row => ({
      title: as,
      call,
      ...request,
      as,
      answers: 'forbidden',
    })),
  ]),
  ...(
    [
      ['nothing', {}, ['']],
      ['no scripts', { scriptIds: [], groupIds: [] }, ['']],
      ['a script that is not there', { scriptIds: [999_999_999] }, ['/scriptIds/0']],
      ['a group that is not there', { groupIds: [999_999_999] }, ['/groupIds/0']],
      ['an id that is a text', { scriptIds: ['1'] }, ['/scriptIds/0']],
      ['too many ids', { scriptIds: Array.from({ length: 2_001 }, () => 1) }, ['/scriptIds']],
      ['something else', { all: true, names: ['x'] }, ['/names']],
    ] as const
  ).map(([title, json, pointers]): Row => ({
    title,
    call: 'POST /scripts/export',
    json,
    answers: 'invalid',
    pointers,
  })),
  ...['analyze-zip', 'upload-zip'].flatMap((verb): Row[] => {
    const call = `POST /scripts/groups/{group}/${verb}`
    const none = `POST /scripts/groups/999999999/${verb}`
    return [
      { title: 'no such group', call: none, ...sent(zip({ 'main.py': '' })), answers: 'not_found' },
      { title: 'no form', call, bytes: zip({ 'main.py': '' }), answers: 'unsupported_media_type' },
      { title: 'JSON', call, json: {}, answers: 'unsupported_media_type' },
      {
        title: 'a form without a boundary',
        call,
        text: 'x',
        headers: { 'content-type': 'multipart/form-data' },
        answers: 'bad_request',
      },
      { title: 'no file', call, ...form([]), answers: 'invalid', pointers: ['/file'] },
      {
        title: 'a file that is a field',
        call,
        ...form([['file', 'x']]),
        answers: 'invalid',
        pointers: ['/file'],
      },
      {
        title: 'two files',
        call,
        ...form([
          ['file', zip({ 'main.py': '' })],
          ['file', zip({ 'main.py': '' })],
        ]),
        answers: 'invalid',
        pointers: ['/file'],
      },
      {
        title: 'a file of another name',
        call,
        ...form([['archive', zip({ 'main.py': '' })]]),
        answers: 'invalid',
        pointers: ['/archive'],
      },
      ...(
        [
          ['a flag that is none', [['readMetadata', 'yes']], '/readMetadata'],
          [
            'a field twice',
            [
              ['readMetadata', 'true'],
              ['readMetadata', 'true'],
            ],
            '/readMetadata',
          ],
        ] as const
      ).map(([title, fields, pointer]): Row => ({
        title,
        call,
        ...sent(zip({ 'main.py': '' }), fields),
        answers: 'invalid',
        pointers: [pointer],
      })),
      {
        title: 'a field that is not known',
        call,
        ...sent(zip({ 'main.py': '' }), [['force', 'true']]),
        answers: 'invalid',
        pointers: ['/force'],
      },
      {
        title: 'a field that is too large',
        call,
        ...sent(zip({ 'main.py': '' }), [['readMetadata', 'x'.repeat(MIB + 1)]]),
        answers: 'too_large',
      },
      { title: 'no archive', call, ...sent(utf8('a text')), answers: 'zip_unsafe' },
      { title: 'an archive of nothing', call, ...sent(zip({})), answers: 'invalid', pointers: ['/file'] },
      {
        title: 'a manifest of another version',
        call,
        ...sent(
          zip({ 'manifest.json': '{"format": "tidemark-scripts", "formatVersion": 2, "scripts": []}' }),
        ),
        answers: 'invalid',
        pointers: ['/manifest.json/formatVersion'],
      },
      {
        title: 'a manifest of nothing',
        call,
        ...sent(
          zip({ 'manifest.json': '{"format": "tidemark-scripts", "formatVersion": 1, "scripts": []}' }),
        ),
        answers: 'invalid',
        pointers: ['/file'],
      },
    ]
  }),
  ...['', '[]', '[main', '[""]', '[1]', JSON.stringify(Array.from({ length: 2_001 }, () => 'x'))].map(
    (names): Row => ({
      title: `the names ${names.slice(0, 20)}`,
      call: `POST ${UPLOAD}`,
      ...sent(zip({ 'main.py': '' }), [['toImport', names]]),
      answers: 'invalid',
      pointers: ['/toImport'],
    }),
  ),
  ...['12', 'groups', ''].map((name): Row => ({
    title: `an archive called ${JSON.stringify(name)}`,
    call: `POST ${UPLOAD}`,
    ...sent(zip({ 'main.py': '' }), [], `${name}.zip`),
    answers: 'invalid',
    pointers: ['/name'],
  })),
]

const trips: Scenario[] = [
  {
    title: 'what is exported comes back as it was, but for secrets, and with schedules that are not enabled',
    async run(client) {
      const script = await makeScript(client, 'round trip')
      const before = await stateOf(client, script.id)
      const exported = await client.request('POST', '/scripts/export', { json: { scriptIds: [script.id] } })
      expect(exported.headers.get('content-disposition')).toMatch(
        /^attachment; filename="scripts_\d{4}-\d\d-\d\d\.zip"/,
      )
      expectClean(exported)
      await good(client.request('DELETE', `/scripts/${script.id}`))
      const { imported, errors } = await upload(client, exported.bytes)
      expect(errors).toEqual([])
      const [back] = imported
      expect(back).toMatchObject({ name: 'round trip', action: 'created', groupId: script.groupId })
      expect(back?.missingSecrets.sort()).toEqual(['API_TOKEN', 'DB_PASSWORD', 'HIDDEN'])
      const after = await stateOf(client, back?.id ?? 0)
      expect(after.files).toEqual(before.files)
      expect(after.settings).toEqual({
        ...before.settings,
        runConfigurations: before.settings.runConfigurations.map((one) => ({
          ...one,
          envVariables: one.envVariables.map((variable) => ({
            ...variable,
            ...(variable.secret && { valueSet: false }),
          })),
        })),
        scheduleConfigurations: before.settings.scheduleConfigurations.map((one) => ({
          ...one,
          enabled: false,
        })),
      })
      expect(after.default).toBe(before.default)
      expect(after.scheduled).toBe(before.scheduled)
    },
  },
  {
    title: 'an export holds the scripts that were named, those of groups and all, each once',
    decidedAbovePorts: 'packages',
    async run(client) {
      const [one, other] = [
        await makeScript(client, 'exported one'),
        await makeScript(client, 'exported other'),
      ]
      await client.request('PUT', `/scripts/${other.id}/files/empty.sh`, { text: '' })
      for (const [json, names] of [
        [{ scriptIds: [one.id, one.id] }, ['exported one']],
        [{ scriptIds: [one.id], groupIds: [one.groupId] }, ['exported one', 'exported other']],
        [{ groupIds: [one.groupId] }, ['exported one', 'exported other']],
        [{ all: true }, ['exported one', 'exported other']],
      ] as const) {
        const { bytes } = await client.request('POST', '/scripts/export', { json })
        const { scripts, errors } = await analyze(client, bytes)
        expect(errors).toEqual([])
        const found = scripts.map(({ name }) => name)
        expect(found.filter((name) => name.startsWith('exported'))).toEqual([...names])
        expect(new Set(found).size).toBe(found.length)
        for (const { conflict } of scripts) expect(conflict?.identical).toBe(true)
      }
    },
  },
  {
    title: 'a script without files, and names that no file may have, make the trip as well',
    decidedAbovePorts: 'packages',
    async run(client) {
      const names = ['a/b\\c:*?"<>|', '..trip..', 'A trip', 'ä trip 🌊', 'trip-2.0', 'trip_1.0 (2)']
      const made = []
      for (const name of names)
        made.push(await good<Script>(client.request('POST', '/scripts', { json: { name } })))
      const json = { scriptIds: made.map(({ id }) => id) }
      const { bytes } = await client.request('POST', '/scripts/export', { json })
      for (const { id } of made) await good(client.request('DELETE', `/scripts/${id}`))
      const { imported, errors } = await upload(client, bytes)
      expect(errors).toEqual([])
      expect(imported.map(({ name }) => name).sort()).toEqual([...names].sort())
    },
  },
]

const imports: Scenario[] = [
  {
    title:
      'an archive of one script is called like its file, without folders and version, and goes to Default',
    async run(client) {
      for (const [file, name] of [
        ['one-script_0.1.zip', 'one-script'],
        ['another script (2).zip', 'another script'],
      ] as const) {
        const { imported } = await upload(client, zip(FILES), { file })
        expect(imported).toMatchObject([{ name, action: 'created', missingSecrets: [] }])
        expect(await filesOf(client, name)).toEqual(await digestsOf(FILES))
        const [id = 0] = imported.map(({ groupId }) => groupId)
        expect((await good<Script>(client.request('GET', `/scripts/groups/${id}`))).name).toBe('Default')
      }
    },
  },
  {
    title: 'archives without a manifest are called like their files; a group takes them all',
    async run(client) {
      const { group } = await stage(client)
      const many = zip({ 'plain_1.2.3.zip': zip(FILES), 'folder/second.ZIP': zip({ 'run.sh': 'exit' }) })
      const { imported, errors } = await upload(client, many, { groupId: Number(group) })
      expect(errors).toEqual([])
      expect(imported.map(({ name, groupId }) => [name, groupId])).toEqual([
        ['plain', group],
        ['second', group],
      ])
    },
  },
  {
    title: 'the manifest says into which group; a group that is not there is made',
    decidedAbovePorts: 'packages',
    async run(client) {
      const many = packageOf([
        { name: 'of a new group', group: 'made by a package', archive: zip(FILES) },
        { name: 'of the same', group: 'MADE by a package', archive: zip(FILES) },
      ])
      const { imported } = await upload(client, many)
      const groups = new Set(imported.map(({ groupId }) => groupId))
      expect(groups.size).toBe(1)
      const [id = 0] = [...groups]
      expect((await good<Script>(client.request('GET', `/scripts/groups/${id}`))).name).toBe(
        'made by a package',
      )
    },
  },
  {
    title: 'only the scripts that are named are imported; a name that is not there is told',
    async run(client) {
      const many = zip({ 'chosen.zip': zip(FILES), 'left.zip': zip(FILES), 'broken.zip': 'no archive' })
      const chosen = await client.request('POST', UPLOAD, sent(many, [['toImport', '["CHOSEN", "nowhere"]']]))
      expect(chosen.status).toBe(207)
      const { imported, errors } = chosen.body as unknown as Uploaded
      expect(imported.map(({ name }) => name)).toEqual(['chosen'])
      expect(errors.map(({ name, code }) => [name, code])).toEqual([
        [null, 'zip_unsafe'],
        ['nowhere', 'not_found'],
      ])
      expectAnswer(await client.request('GET', '/scripts/left'), { answers: 'not_found' })
      const none = await client.request(
        'POST',
        UPLOAD,
        sent(zip({ 'left.zip': zip(FILES) }), [['toImport', '["x"]']]),
      )
      expectAnswer(none, { answers: 'not_found' })
    },
  },
  {
    title: 'the names of scripts come as one field each as well',
    decidedAbovePorts: 'packages',
    async run(client) {
      const many = () =>
        zip({ 'field a.zip': zip(FILES), 'field b.zip': zip(FILES), 'field c.zip': zip(FILES) })
      const names = async (fields: readonly Field[]) => {
        const { imported } = await upload(client, many(), { fields: [...fields, ['overwrite', 'true']] })
        return imported.map(({ name }) => name)
      }
      expect(await names([['toImport', 'field b']])).toEqual(['field b'])
      expect(
        await names([
          ['toImport', 'field a'],
          ['toImport', 'field c'],
        ]),
      ).toEqual(['field a', 'field c'])
      const twice = sent(many(), [
        ['overwrite', 'true'],
        ['overwrite', 'true'],
      ])
      expectAnswer(await client.request('POST', UPLOAD, twice), {
        answers: 'invalid',
        pointers: ['/overwrite'],
      })
      const asked = (count: number) =>
        sent(
          many(),
          Array.from({ length: count }, (_, index): Field => ['toImport', `nothing ${index}`]),
        )
      expectAnswer(await client.request('POST', UPLOAD, asked(200)), { answers: 'not_found' })
      expectAnswer(await client.request('POST', UPLOAD, asked(201)), {
        answers: 'invalid',
        pointers: ['/toImport'],
      })
      // No name is passed over because it stands somewhere else.
      expectAnswer(await client.request('POST', `${UPLOAD}?toImport=x`, sent(many())), {
        answers: 'invalid',
        pointers: ['?toImport'],
      })
    },
  },
  {
    title: 'secrets in a .env are left out of an export and named, everything else of it stays',
    decidedAbovePorts: 'packages',
    async run(client) {
      const script = await makeScript(client, 'with variables')
      const text = 'REGION=eu\nDB_PASSWORD="of the\nhouse"\nSMTPPASS=hush\n'
      await good(client.request('PUT', `/scripts/${script.id}/files/.env`, { text }))
      await good(
        client.request('PUT', `/scripts/${script.id}/files/sub/.env`, { text: 'SMTPPASS=elsewhere\n' }),
      )
      const exported = await client.request('POST', '/scripts/export', { json: { scriptIds: [script.id] } })
      await good(client.request('DELETE', `/scripts/${script.id}`))
      const { imported } = await upload(client, exported.bytes)
      const [back] = imported
      expect(back?.missingSecrets).toEqual(expect.arrayContaining(['DB_PASSWORD', 'SMTPPASS']) as never)
      const read = async (path: string) =>
        (await client.request('GET', `/scripts/${back?.id}/files/${path}`)).text
      expect(await read('.env')).toBe('REGION=eu\n')
      // Nothing gives a run the variables of another directory.
      expect(await read('sub/.env')).toBe('SMTPPASS=elsewhere\n')
    },
  },
  {
    title: 'names in an archive are in code page 437 where they are no UTF-8 and nothing says that they are',
    decidedAbovePorts: 'packages',
    async run(client) {
      const archive = craft([
        { name: 'main.py', data: '' },
        { name: Uint8Array.of(0x5a, 0x81, 0x72, 0x69, 0x63, 0x68, 0x2e, 0x74, 0x78, 0x74), data: 'u' },
        { name: 'Genève.txt', data: 'utf-8' },
      ])
      const { imported } = await upload(client, archive, { file: 'code page.zip' })
      const files = await good<{ path: string }[]>(client.request('GET', `/scripts/${imported[0]?.id}/files`))
      expect(files.map(({ path }) => path).sort()).toEqual(['Genève.txt', 'Zürich.txt', 'main.py'])
    },
  },
  {
    title: 'a script that is there stays as it is unless it may be overwritten; the others are imported',
    async run(client) {
      const script = await makeScript(client, 'there already')
      const before = await stateOf(client, script.id)
      const archive = zip({ 'run.sh': 'exit 0' })
      const alone = await client.request('POST', UPLOAD, sent(archive, [], 'There Already.zip'))
      expectAnswer(alone, { answers: 'name_taken' })
      const many = zip({ 'there already.zip': archive, 'not there yet.zip': archive })
      const mixed = await client.request('POST', UPLOAD, sent(many))
      expect(mixed.status).toBe(207)
      expect(mixed.body['errors']).toMatchObject([{ name: 'there already', code: 'name_taken' }])
      expect(await stateOf(client, script.id)).toEqual(before)
      expect(await filesOf(client, 'not there yet')).toEqual(await digestsOf({ 'run.sh': 'exit 0' }))
      const into = await good<{ id: number }>(
        client.request('POST', '/scripts/groups', { json: { name: 'for what is not there' } }),
      )
      const others = zip({ 'there already.zip': archive, 'nor this one.zip': archive })
      const path = `/scripts/groups/${into.id}/upload-zip`
      expect((await client.request('POST', path, sent(others))).status).toBe(207)
    },
  },
  {
    title: 'what is overwritten keeps its id, group, secrets and schedules, and has another tree',
    async run(client) {
      const script = await makeScript(client, 'overwritten')
      const { bytes } = await client.request('POST', '/scripts/export', { json: { scriptIds: [script.id] } })
      const before = await stateOf(client, script.id)
      await client.request('PUT', `/scripts/${script.id}`, { json: { name: 'overwritten', timeout: 7 } })
      await client.request('PUT', `/scripts/${script.id}/files/later.txt`, { text: 'x' })
      await client.request('PUT', `/scripts/${script.id}/files/main.py`, { text: 'changed' })
      const { id: added } = await good<Script>(
        client.request('POST', `/scripts/${script.id}/runConfigurations`, {
          json: { name: 'own', kind: 'standard' },
        }),
      )
      const { imported } = await upload(client, bytes, { fields: [['overwrite', 'true']] })
      expect(imported).toMatchObject([
        { id: script.id, action: 'overwritten', groupId: script.groupId, missingSecrets: [] },
      ])
      const after = await stateOf(client, script.id)
      expect(after.files).toEqual(before.files)
      const own = after.settings.runConfigurations.filter(({ id }) => id === added)
      expect(own).toHaveLength(1)
      expect(after.settings).toEqual({
        ...before.settings,
        runConfigurations: [...before.settings.runConfigurations, ...own],
      })
      expect(after.default).toBe(before.default)
    },
  },
  {
    title: 'without the metadata, settings stay, or are those of a new script',
    decidedAbovePorts: 'packages',
    async run(client) {
      const script = await makeScript(client, 'bare')
      const { bytes } = await client.request('POST', '/scripts/export', { json: { scriptIds: [script.id] } })
      await client.request('PUT', `/scripts/${script.id}`, { json: { name: 'bare', timeout: 9 } })
      const fields = [
        ['readMetadata', 'false'],
        ['overwrite', 'true'],
      ] as const
      await upload(client, bytes, { fields })
      const kept = await stateOf(client, script.id)
      expect([kept.settings.timeout, kept.settings.runConfigurations.length]).toEqual([9, 2])
      await good(client.request('DELETE', `/scripts/${script.id}`))
      const { imported } = await upload(client, bytes, { fields })
      const fresh = await stateOf(client, imported[0]?.id ?? 0)
      expect([fresh.settings.timeout, fresh.settings.runConfigurations]).toEqual([0, []])
      expect(fresh.files).toEqual(kept.files)
    },
  },
  {
    title: 'each script is imported as a whole or not at all',
    decidedAbovePorts: 'packages',
    async run(client) {
      const script = await makeScript(client, 'whole')
      const before = await stateOf(client, script.id)
      const broken = craft([
        { name: 'a.py', data: 'good' },
        { name: 'main.py', data: 'x'.repeat(100), crc: 1 },
      ])
      const wrong = zip({ 'main.py': '', 'script_metadata.json': '{"name": "new one", "timeout": -1}' })
      const scheduled = zip({
        'main.py': '',
        'script_metadata.json': JSON.stringify({
          name: 'new schedule',
          group: 'of a refused script',
          runConfigurations: [{ name: 'one', kind: 'standard' }],
          scheduleConfigurations: [{ name: 'one', cron: '0 0 * * *', runConfiguration: 'another' }],
        }),
      })
      const many = zip({
        'whole.zip': broken,
        'new.zip': broken,
        'wrong.zip': wrong,
        'scheduled.zip': scheduled,
        'good one.zip': zip(FILES),
      })
      const answer = await client.request('POST', UPLOAD, sent(many, [['overwrite', 'true']]))
      expect(answer.status).toBe(207)
      const { imported, errors } = answer.body as unknown as Uploaded
      expect(imported.map(({ name }) => name)).toEqual(['good one'])
      expect(errors.map(({ file, name, code }) => [file, name, code])).toEqual([
        ['whole.zip', 'whole', 'zip_unsafe'],
        ['new.zip', 'new', 'zip_unsafe'],
        ['wrong.zip', null, 'invalid'],
        ['scheduled.zip', 'new schedule', 'invalid'],
      ])
      expect(await stateOf(client, script.id)).toEqual(before)
      for (const name of ['new', 'new one', 'new schedule', 'wrong'])
        expectAnswer(await client.request('GET', `/scripts/${name}`), { answers: 'not_found' })
      const groups = await good<readonly Script[]>(client.request('GET', '/scripts/groups'))
      expect(groups.map(({ name }) => name)).not.toContain('of a refused script')
    },
  },
  {
    title: 'a schedule comes with its run configuration, and the default is the one that is named',
    decidedAbovePorts: 'packages',
    async run(client) {
      const metadata = {
        name: 'with schedules',
        runConfigurations: [
          { name: 'one', kind: 'standard', secretNames: ['KEPT_BACK'] },
          { name: 'two', kind: 'filesystem', filesystem: { paths: ['in/*.csv'] } },
        ],
        defaultRunConfiguration: 'two',
        scheduleConfigurations: [
          { name: 'nightly', cron: '0 3 * * *', enabled: true, runConfiguration: 'TWO' },
          { name: 'whatever', cron: '0 4 * * *' },
        ],
      }
      const { imported } = await upload(
        client,
        zip({ 'main.py': '', 'script_metadata.json': JSON.stringify(metadata) }),
      )
      const state = await stateOf(client, imported[0]?.id ?? 0)
      expect(state.default).toBe('two')
      expect(state.scheduled).toBe('nightly of two, whatever of null')
      expect(imported[0]?.missingSecrets).toEqual(['KEPT_BACK'])
      expect(Object.keys(state.files)).toEqual(['main.py'])
    },
  },
  {
    title: 'scripts that are imported at the same time all come, each with what is its own',
    async run(client) {
      const metadata = { runConfigurations: [{ name: 'one', kind: 'standard', arguments: [''] }] }
      const names = ['at once 1', 'at once 2', 'at once 3', 'at once 4']
      const answers = await Promise.all(
        names.map((name) => {
          const told = {
            ...metadata,
            name,
            runConfigurations: [{ name: 'one', kind: 'standard', arguments: [name] }],
          }
          return upload(client, zip({ 'main.py': name, 'script_metadata.json': JSON.stringify(told) }))
        }),
      )
      expect(answers.flatMap(({ imported }) => imported.map(({ name }) => name))).toEqual(names)
      for (const name of names) {
        const { id } = await good<Script>(client.request('GET', `/scripts/${encodeURIComponent(name)}`))
        const { settings, files } = await stateOf(client, id)
        expect(settings.runConfigurations).toMatchObject([{ arguments: [name] }])
        expect(files).toEqual(await digestsOf({ 'main.py': name }))
      }
    },
  },
  {
    title: 'metadata that would change prototypes changes none',
    decidedAbovePorts: 'packages',
    async run(client) {
      const metadata =
        '{"name": "prototypes", "__proto__": {"timeout": 5}, "runConfigurations": [{"name": "x", "kind": "standard", "constructor": 1}]}'
      const answer = await client.request(
        'POST',
        UPLOAD,
        sent(zip({ 'main.py': '', 'script_metadata.json': metadata })),
      )
      expectAnswer(answer, { answers: 'invalid' })
      expect(({} as Record<string, unknown>)['timeout']).toBeUndefined()
    },
  },
  {
    title: 'an import is on record, with no secret in it',
    decidedAbovePorts: 'packages',
    async run(client) {
      const { imported } = await upload(client, zip(FILES), { file: 'on record.zip' })
      const id = imported[0]?.id ?? 0
      const { items } = await good<{ items: { action: string; after: object }[] }>(
        client.request('GET', `/audit?objectType=script&objectId=${id}`),
      )
      expect(items).toMatchObject([{ action: 'import', after: { name: 'on record', files: 3 } }])
      const all = await client.request('GET', '/audit?limit=1000')
      for (const canary of CANARIES) expect(all.text).not.toContain(canary)
    },
  },
]

const databases: Scenario[] = [
  {
    title:
      'a run configuration names its data source, and an import takes the one that is called so here, or none',
    async run(client) {
      const connection = { host: 'db.example.org', database: 'sales', user: 'u', password: CANARIES[0] }
      const source = async (name: string, more: object = {}) => {
        const json = { name, type: 'postgresql', connection, readOnly: false, ...more }
        return (await good<{ id: number }>(client.request('POST', '/dataSources', { json }))).id
      }
      const gone = (id: number) => good(client.request('DELETE', `/dataSources/${id}?forceDelete=true`))
      const [first, unnamed] = [await source('Sales of ours'), await source('goes first')]
      const script = await good<Script>(client.request('POST', '/scripts', { json: { name: 'with data' } }))
      const at = `/scripts/${script.id}/runConfigurations`
      const database = { dataSourceId: first, access: 'write' }
      const nightly = { name: 'nightly', kind: 'database', database }
      const { id } = await good<Script>(client.request('POST', at, { json: nightly }))
      const exported = await client.request('POST', '/scripts/export', { json: { scriptIds: [script.id] } })
      const json = { name: 'orphan', kind: 'database', database: { dataSourceId: unnamed } }
      await good(client.request('POST', at, { json }))
      await gone(unnamed)
      const orphaned = await client.request('POST', '/scripts/export', { json: { scriptIds: [script.id] } })
      await gone(first)

      const refusal = async ({ bytes }: Answer, place: number, missing: string) => {
        const { scripts } = await analyze(client, bytes)
        expect(scripts).toMatchObject([{ name: 'with data', missingDataSources: ['Sales of ours', missing] }])
        const refused = await client.request('POST', UPLOAD, sent(bytes, [['overwrite', 'true']]))
        const pointer = `/runConfigurations/${place}/database/dataSource`
        expectAnswer(refused, { answers: 'invalid', pointers: [pointer] })
      }
      await refusal(orphaned, 0, '')
      const readOnly = await source('sales of ours', { readOnly: true })
      expect((await analyze(client, exported.bytes)).scripts).toMatchObject([{ missingDataSources: [] }])
      const closed = await client.request('POST', UPLOAD, sent(exported.bytes, [['overwrite', 'true']]))
      expectAnswer(closed, { answers: 'invalid', pointers: ['/runConfigurations/0/database/access'] })
      await gone(readOnly)
      const another = await source('sales of ours')
      await upload(client, exported.bytes, { fields: [['overwrite', 'true']] })
      expect(await good<object>(client.request('GET', `${at}/${id}`))).toMatchObject({
        database: { dataSourceId: another, access: 'write' },
      })
      // By its number it could be any.
      const numbered = { name: 'with data', runConfigurations: [{ ...nightly, database }] }
      const archive = zip({ 'main.py': '', 'script_metadata.json': JSON.stringify(numbered) })
      const byNumber = await client.request('POST', UPLOAD, sent(archive, [['overwrite', 'true']]))
      expectAnswer(byNumber, { answers: 'invalid' })
      await good(client.request('DELETE', `/scripts/${script.id}`))
      await gone(another)
    },
  },
]

const analyses: Scenario[] = [
  {
    title: 'an analysis tells what an import would meet, and keeps nothing',
    async run(client) {
      const script = await makeScript(client, 'analysed')
      const { bytes } = await client.request('POST', '/scripts/export', { json: { scriptIds: [script.id] } })
      const before = await stateOf(client, script.id)
      const [latest] = await entries(client)
      expect(await analyze(client, bytes)).toMatchObject({
        scripts: [
          {
            name: 'analysed',
            group: 'packages',
            groupExists: true,
            runner: 'python',
            conflict: { scriptId: script.id, identical: true, removedFiles: [], dependents: { count: 0 } },
            missingSecrets: [],
            missingDataSources: [],
            warnings: [],
          },
        ],
        errors: [],
      })
      const metadata = {
        name: 'Analysed',
        group: 'nowhere',
        runConfigurations: [
          { name: 'nightly', kind: 'standard', secretNames: ['DB_PASSWORD', 'NEW_PASSWORD'] },
        ],
      }
      const many = zip({
        'analysed_0.2.zip': zip({
          'run.sh': '',
          'main.py': '',
          'script_metadata.json': JSON.stringify(metadata),
        }),
        'nothing.zip': zip({ 'a.txt': '' }),
        'analysed.zip': zip(FILES),
        'broken.zip': 'no archive',
      })
      const { scripts, errors } = await analyze(client, many)
      expect(scripts).toMatchObject([
        {
          file: 'analysed_0.2.zip',
          name: 'Analysed',
          group: 'nowhere',
          groupExists: false,
          files: [
            { path: 'main.py', size: 0, change: 'changed' },
            { path: 'run.sh', size: 0, change: 'added' },
          ],
          conflict: {
            scriptId: script.id,
            identical: false,
            removedFiles: ['lib/deep/data.bin', 'lib/für.txt'],
          },
          missingSecrets: ['NEW_PASSWORD'],
          warnings: ['runner.ambiguous'],
        },
        { file: 'nothing.zip', group: null, runner: null, conflict: null, warnings: ['runner.none'] },
      ])
      expect(errors).toMatchObject([
        { file: 'analysed.zip', name: 'analysed', code: 'name_taken' },
        { file: 'broken.zip', name: null, code: 'zip_unsafe' },
      ])
      expect(await stateOf(client, script.id)).toEqual(before)
      expect((await entries(client))[0]).toEqual(latest)
    },
  },
  {
    title: `${HOSTILE.length} hostile archives are refused, by themselves and as one of many; their harmless twins are taken`,
    decidedAbovePorts: 'packages',
    async run(client) {
      const path = `/scripts/groups/${(await stage(client)).group}/analyze-zip`
      for (const { title, evil, twin, says } of HOSTILE) {
        const refused = await client.request('POST', path, sent(evil))
        expect({
          title,
          code: refused.body['code'],
          isClear: says.test(String(refused.body['detail'])),
        }).toEqual({
          title,
          code: 'zip_unsafe',
          isClear: true,
        })
        const { scripts, errors } = await analyze(client, zip({ 'evil.zip': evil, 'twin.zip': twin }))
        expect({ title, found: scripts.map(({ name }) => name) }).toEqual({ title, found: ['twin'] })
        expect(errors).toMatchObject([{ file: 'evil.zip', code: 'zip_unsafe' }])
      }
    },
  },
]

const bounds: Scenario[] = [
  {
    title: 'a file of 10 MiB is taken, and one byte more is not',
    async run(client) {
      const { imported } = await upload(client, craft([MAIN, { name: 'large', data: noise(10 * MIB) }]), {
        file: 'large.zip',
      })
      expect(imported).toMatchObject([{ name: 'large' }])
      expect(await filesOf(client, 'large')).toEqual(
        await digestsOf({ 'main.py': '', large: noise(10 * MIB) }),
      )
      const larger = sent(craft([MAIN, { name: 'large', data: noise(10 * MIB + 1) }]), [], 'larger.zip')
      expectAnswer(await client.request('POST', UPLOAD, larger), { answers: 'invalid', pointers: ['/file'] })
    },
  },
  {
    title: 'a tree of 50 MiB is taken, and one byte more is not',
    decidedAbovePorts: 'packages',
    async run(client) {
      const parts = Array.from({ length: 5 }, (_, part): Part => ({ name: `${part}`, ...dense() }))
      const whole = await analyze(client, craft(parts))
      expect(whole).toMatchObject({ scripts: [{ name: 'script' }], errors: [] })
      const path = `/scripts/groups/${(await stage(client)).group}/analyze-zip`
      const more = sent(craft([...parts, { name: 'x', data: 'x' }]))
      expectAnswer(await client.request('POST', path, more), { answers: 'invalid', pointers: ['/file'] })
    },
  },
  {
    title: 'a tree of 2,000 entries is taken, and one more is not',
    decidedAbovePorts: 'packages',
    async run(client) {
      const parts = Array.from({ length: 2_001 }, (_, part): Part => ({ name: `${part}/`, data: '' }))
      expect((await analyze(client, craft(parts.slice(1)))).errors).toEqual([])
      const path = `/scripts/groups/${(await stage(client)).group}/analyze-zip`
      const more = await client.request('POST', path, sent(craft(parts)))
      expectAnswer(more, { answers: 'invalid', pointers: ['/file'] })
    },
  },
  {
    title: 'archives have 4,000 entries together, and no more',
    decidedAbovePorts: 'packages',
    async run(client) {
      const empty = (count: number) =>
        craft(Array.from({ length: count }, (_, part): Part => ({ name: `${part}/`, data: '' })))
      const most = zip({ 'a.zip': empty(1_998), 'b.zip': empty(2_000) })
      expect(await analyze(client, most)).toMatchObject({
        scripts: [{ name: 'a' }, { name: 'b' }],
        errors: [],
      })
      const more = zip({ 'a.zip': empty(1_999), 'b.zip': empty(2_000) })
      expect(await analyze(client, more)).toMatchObject({
        scripts: [{ name: 'a' }],
        errors: [{ file: 'b.zip', code: 'zip_unsafe' }],
      })
    },
  },
  {
    title: 'an archive has 200 scripts, and no more',
    decidedAbovePorts: 'packages',
    async run(client) {
      const inner = zip({ 'main.py': '' })
      const many = (count: number) =>
        zip(Object.fromEntries(Array.from({ length: count }, (_, part) => [`s${part}.zip`, inner])))
      expect((await analyze(client, many(200))).scripts).toHaveLength(200)
      const path = `/scripts/groups/${(await stage(client)).group}/analyze-zip`
      expectAnswer(await client.request('POST', path, sent(many(201))), {
        answers: 'invalid',
        pointers: ['/file'],
      })
    },
  },
]

export const packagesSuite: Suite = {
  name: 'packages',
  scenarios: [...table(stage, refusals), ...trips, ...imports, ...databases, ...analyses, ...bounds],
}

const MAIN: Part = { name: 'main.py', data: '' }

function zip(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array<ArrayBuffer> {
  return craft(Object.entries(files).map(([name, data]) => ({ name, data })))
}

function packageOf(
  scripts: readonly { readonly name: string; readonly group: string; readonly archive: Uint8Array }[],
): Uint8Array<ArrayBuffer> {
  const listed = scripts.map(({ name, group }, place) => ({ name, group, file: `${place}.zip` }))
  const manifest = { format: 'tidemark-scripts', formatVersion: 1, scripts: listed }
  const archives = scripts.map(({ archive }, place) => [`${place}.zip`, archive] as const)
  return zip({ 'manifest.json': JSON.stringify(manifest), ...Object.fromEntries(archives) })
}

type Field = readonly [name: string, value: string | Uint8Array]

/** A form; what is bytes is a file. */
function form(fields: readonly Field[], file = 'script.zip'): Pick<Request, 'bytes' | 'headers'> {
  const parts = fields.flatMap(([name, value]) => {
    const filename = typeof value === 'string' ? '' : `; filename="${file}"`
    const head = `--b\r\nContent-Disposition: form-data; name="${name}"${filename}\r\n\r\n`
    return [utf8(head), typeof value === 'string' ? utf8(value) : value, utf8('\r\n')]
  })
  const whole = new Uint8Array(Buffer.concat([...parts, utf8('--b--\r\n')]))
  return { bytes: whole, headers: { 'content-type': 'multipart/form-data; boundary=b' } }
}

function sent(archive: Uint8Array, fields: readonly Field[] = [], file = 'script.zip') {
  return form([['file', archive], ...fields], file)
}

function upload(
  client: Client,
  archive: Uint8Array,
  { file, fields = [], groupId }: { file?: string; fields?: readonly Field[]; groupId?: number } = {},
): Promise<Uploaded> {
  const path = groupId === undefined ? UPLOAD : `/scripts/groups/${groupId}/upload-zip`
  // Fields may stand on either side of the file.
  const [first = [], ...others] = fields.map((field) => [field])
  return good<Uploaded>(
    client.request('POST', path, form([...first, ['file', archive], ...others.flat()], file)),
  )
}

async function analyze(client: Client, archive: Uint8Array): Promise<Analysed> {
  const { group } = await stage(client)
  return good<Analysed>(client.request('POST', `/scripts/groups/${group}/analyze-zip`, sent(archive)))
}

/** A script with files, a directory, two run configurations with secrets, and a schedule. */
async function makeScript(client: Client, name: string): Promise<Script> {
  const { group: groupId } = await stage(client)
  const json = { name, groupId, description: 'of a test', timeout: 60, acceptedFiles: ['text/csv'] }
  const script = await good<Script>(client.request('POST', '/scripts', { json }))
  const at = `/scripts/${script.id}`
  for (const [path, text] of Object.entries(FILES))
    await good(client.request('PUT', `${at}/files/${encodeURI(path)}`, { text }))
  await good(client.request('POST', `${at}/files/empty?type=directory`))
  const [hidden, password, token] = CANARIES
  const nightly = {
    name: 'nightly',
    kind: 'standard',
    timeout: 5,
    arguments: ['--full'],
    envVariables: [
      { key: 'DB_PASSWORD', value: password },
      { key: 'REGION', value: 'eu' },
      { key: 'HIDDEN', value: hidden, secret: true },
    ],
  }
  const files = {
    name: 'files',
    kind: 'filesystem',
    filesystem: { paths: ['in/*'] },
    isDefault: true,
    envVariables: [{ key: 'API_TOKEN', value: token }],
  }
  const { id } = await good<Script>(client.request('POST', `${at}/runConfigurations`, { json: nightly }))
  await good(client.request('POST', `${at}/runConfigurations`, { json: files }))
  const schedule = {
    name: 'every night',
    cron: '30 2 * * *',
    timeZone: 'Europe/Zurich',
    runConfigurationId: id,
  }
  await good(client.request('POST', `${at}/scheduleConfigurations`, { json: schedule }))
  return script
}

type Configuration = {
  readonly id?: number
  readonly name: string
  readonly envVariables: readonly { key: string; secret?: boolean }[]
}
type Schedule = { readonly name: string; readonly enabled: boolean }
type Settings = {
  readonly timeout: number
  readonly runConfigurations: readonly Configuration[]
  readonly scheduleConfigurations: readonly Schedule[]
}

/** The stored parts of a script, without ids and times. Parts with names are compared by name. */
async function stateOf(client: Client, id: number) {
  const settings = await good<{
    timeout: number
    runConfigurations: (Configuration & { id: number; isDefault: boolean })[]
    scheduleConfigurations: (Schedule & { runConfigurationId: number | null })[]
  }>(client.request('GET', `/scripts/${id}/settings`))
  const runConfigurations = settings.runConfigurations
  const nameOf = (of: number | null) => runConfigurations.find((one) => one.id === of)?.name ?? 'null'
  const plain = <One extends object>(one: One) => ({
    ...one,
    createdAt: '',
    updatedAt: '',
    nextRuns: [],
    runConfigurationId: 0,
  })
  return {
    settings: {
      ...settings,
      runConfigurations: runConfigurations.map((one) => ({
        ...plain(one),
        id: one.name === 'own' ? one.id : 0,
        // Archives name secrets behind the others.
        envVariables: one.envVariables.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
      })),
      scheduleConfigurations: settings.scheduleConfigurations.map((one) => ({ ...plain(one), id: 0 })),
    } as Settings,
    default: runConfigurations.find(({ isDefault }) => isDefault)?.name ?? null,
    scheduled: settings.scheduleConfigurations
      .map(({ name, runConfigurationId }) => `${name} of ${nameOf(runConfigurationId)}`)
      .join(', '),
    files: await filesOf(client, String(id)),
  }
}

/** SHA-256 of each file of a script by its path, and the directories that somebody made. */
async function filesOf(client: Client, script: string): Promise<Record<string, string>> {
  const path = `/scripts/${encodeURIComponent(script)}/files`
  const entriesOf = await good<{ path: string; sha256: string; updatedAt: string | null }[]>(
    client.request('GET', path),
  )
  return Object.fromEntries(
    entriesOf.filter(({ updatedAt }) => updatedAt !== null).map((entry) => [entry.path, entry.sha256]),
  )
}

async function digestsOf(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<Record<string, string>> {
  const digests = Object.entries(files).map(([path, data]) => {
    const digest = new Bun.CryptoHasher('sha256').update(data).digest('hex')
    return [path, digest] as const
  })
  return Promise.resolve(Object.fromEntries(digests))
}

/** Nothing of an archive is a secret, also where it is packed. */
function expectClean({ bytes }: Answer): void {
  const program = `import io, sys, zipfile
def show(data):
    with zipfile.ZipFile(io.BytesIO(data)) as whole:
        assert whole.testzip() is None
        for one in whole.infolist():
            inner = whole.read(one)
            sys.stdout.buffer.write(one.filename.encode() + b"\\n" + inner + b"\\n")
            if one.filename.endswith(".zip"): show(inner)
show(sys.stdin.buffer.read())`
  const { stdout, stderr } = Bun.spawnSync(['python3', '-c', program], { stdin: bytes })
  const shown = stdout.toString()
  expect(stderr.toString()).toBe('')
  expect(shown).toContain('script_metadata.json')
  expect(shown).toContain('"DB_PASSWORD"')
  for (const canary of CANARIES) expect(shown).not.toContain(canary)
}

async function entries(client: Client): Promise<unknown[]> {
  return (await good<{ items: unknown[] }>(client.request('GET', '/audit?limit=1'))).items
}

/** Bytes that do not get smaller. */
function noise(sizeBytes: number): Uint8Array<ArrayBuffer> {
  let state = 1
  // Deflate looks back over 32 KiB at most.
  const block = new Uint8Array(64 * 1024).map(() => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state >>> 24
  })
  const bytes = new Uint8Array(sizeBytes)
  for (let at = 0; at < sizeBytes; at += block.byteLength) bytes.set(block.subarray(0, sizeBytes - at), at)
  return bytes
}

/** 10 MiB that get small, but not too small. */
const dense: () => Pick<Part, 'data' | 'method' | 'raw' | 'crc'> = memoized(() => {
  const lines = Array.from({ length: (10 * MIB) / 16 }, (_, line) => `${String(line).padStart(15, '0')}\n`)
  const data = utf8(lines.join(''))
  return { method: DEFLATED, data, raw: deflateRawSync(data), crc: crc32(data) }
})

function memoized<Result>(make: () => Result): () => Result {
  const made: Result[] = []
  return () => made[0] ?? (made[0] = make())
}
