import { stat } from 'node:fs/promises'
import { join } from 'node:path'

import { parseAllDocuments } from 'yaml'
import type { Document } from 'yaml'
import * as z from 'zod'

import { CommandFailure, EXIT } from '../../../server/failures.ts'
import { readNames, readText, unreadable, valid } from '../input.ts'

/** The property of an object that names the manifest that manages it. */
export const MARKER = 'tidemark.manifest'

const OBJECT_TYPES = ['group', 'device', 'job', 'slo', 'slc'] as const
const NAME_MAX = 255
const FILE_MAX_BYTES = 4 * 1024 * 1024
const FILES_MAX = 1000
const FILE = /\.(?:ya?ml|json)$/

const name = z.string().min(1).max(NAME_MAX)
/** The service composes the names of recipients (NFC). */
const recipientName = name.overwrite((text) => text.normalize('NFC'))
const link = z
  .strictObject({
    recipient: recipientName
      .nullable()
      .describe('The name of a recipient; null opens alarms without a message.'),
    covers: z.enum(['object', 'below']).optional(),
    minState: z.enum(['major', 'minor', 'warning']).optional(),
    delay: z.string().optional(),
    recoveryDelay: z.string().optional(),
    events: z.array(z.enum(['opened', 'worsened', 'flapping', 'closed'])).optional(),
  })
  .describe('A rule that opens alarms. The alarm links of an object are replaced as a whole.')
const common = {
  name,
  formerName: name.optional().describe('The name of the object before it was renamed in the manifest.'),
  properties: z.record(z.string().min(1).max(NAME_MAX), z.string()).optional(),
  alarmLinks: z.array(link).optional(),
}
const job = z.looseObject(common).describe('A webhook job; other fields are the fields of the API.')
const device = z
  .looseObject({ ...common, jobs: z.array(job).optional() })
  .describe('A device; other fields are the fields of the API.')
const pathNames = z.array(name)
const child = z
  .strictObject({
    type: z.enum(OBJECT_TYPES),
    path: pathNames.min(1).describe('The names from the group of the manifest down to the object.'),
    weight: z.int().optional().describe('As how many children it counts; 1 if absent.'),
    stateOverrides: z
      .record(z.string(), z.string())
      .optional()
      .describe('For a state of the child, the state that counts instead.'),
  })
  .describe('A child of a service level object or container. The children are replaced as a whole.')
const slo = z
  .looseObject({
    ...common,
    children: z.array(child).optional(),
    device: pathNames.min(1).optional().describe('The path of the device that the object belongs to.'),
    childrenFilter: z
      .looseObject({
        group: pathNames
          .optional()
          .describe(
            'The path of the group whose objects the filter searches; [] is the group of the manifest.',
          ),
      })
      .nullable()
      .optional(),
  })
  .describe('A service level object; other fields are the fields of the API.')
const slc = z
  .looseObject({ ...common, children: z.array(child).optional() })
  .describe('A service level container; other fields are the fields of the API.')
const services = { slos: z.array(slo).optional(), slcs: z.array(slc).optional() }
type Group = z.infer<typeof job> & {
  readonly devices?: readonly z.infer<typeof device>[] | undefined
  readonly groups?: readonly Group[] | undefined
  readonly slos?: readonly z.infer<typeof slo>[] | undefined
  readonly slcs?: readonly z.infer<typeof slc>[] | undefined
}
const group: z.ZodType<Group> = z.lazy(() =>
  z.looseObject({
    ...common,
    ...services,
    devices: z.array(device).optional(),
    groups: z.array(group).optional(),
  }),
)
const recipient = z
  .looseObject({ name: recipientName, type: z.string(), target: z.looseObject({}) })
  .describe('A recipient of messages; other fields are the fields of the API. Recipients are never deleted.')

const manifestSchema = z.strictObject({
  manifest: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lower case letters, digits and dashes, at most 63')
    .describe('The name of the manifest. All documents of a directory have the same one.'),
  recipients: z.array(recipient).optional(),
  groups: z.array(group).optional(),
  devices: z.array(device).optional(),
  ...services,
})

export type ObjectType = (typeof OBJECT_TYPES)[number]
export type Child = z.infer<typeof child>
export type Link = z.infer<typeof link>
export type Recipient = z.infer<typeof recipient>

/** The objects that a service level object or container names; null where it names none, so that it keeps what it has. */
export type References = {
  readonly children: readonly Child[] | null
  readonly device: readonly string[] | null
  readonly filterGroup: readonly string[] | null
}

/** An object of a manifest. */
export type Wanted = {
  readonly type: ObjectType
  readonly name: string
  readonly formerName: string | null
  /** Null where the manifest does not name properties: the object keeps its properties. */
  readonly properties: Readonly<Record<string, string>> | null
  /** Null where the manifest does not name alarm links: the object keeps its links. */
  readonly links: readonly Link[] | null
  /** The other fields, as the API takes them. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly references: References
  readonly children: readonly Wanted[]
}

export type Manifest = {
  readonly name: string
  readonly recipients: readonly Recipient[]
  readonly objects: readonly Wanted[]
}

const NO_REFERENCES: References = { children: null, device: null, filterGroup: null }

/** The JSON Schema of a document of a manifest (draft 2020-12). */
export function jsonSchema(): object {
  return z.toJSONSchema(manifestSchema, { io: 'input' })
}

/** Reads a manifest: a YAML or JSON file, or all such files of a directory, in the order of their names.
 * @throws {CommandFailure} data, naming the file and the place of each fault */
export async function readManifest(path: string): Promise<Manifest> {
  const documents = (await Promise.all((await filesIn(path)).map(documentsOf))).flat()
  const [first] = documents
  if (!first)
    throw new CommandFailure(
      EXIT.data,
      `${path} has no documents. A manifest is a YAML or JSON file, or a directory of them.`,
    )
  const other = documents.find(({ manifest }) => manifest !== first.manifest)
  if (other)
    throw new CommandFailure(
      EXIT.data,
      `${path} has two manifests, "${first.manifest}" and "${other.manifest}". Use a directory for each.`,
    )
  const manifest = {
    name: first.manifest,
    recipients: documents.flatMap(({ recipients = [] }) => recipients),
    objects: documents.flatMap(wantedChildren),
  }
  refuseTwins(manifest.objects, '')
  return manifest
}

async function filesIn(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(unreadable(path))
  if (!found.isDirectory()) return [path]
  const names = (await readNames(path)).filter((file) => FILE.test(file)).sort()
  if (names.length > FILES_MAX)
    throw new CommandFailure(EXIT.data, `${path} has more than ${FILES_MAX} files.`)
  return names.map((file) => join(path, file))
}

async function documentsOf(file: string): Promise<readonly z.infer<typeof manifestSchema>[]> {
  if ((await stat(file).catch(unreadable(file))).size > FILE_MAX_BYTES)
    throw new CommandFailure(EXIT.data, `${file} is larger than ${FILE_MAX_BYTES / 1024 / 1024} MiB.`)
  const parsed = parseAllDocuments(await readText(file))
  if (!Array.isArray(parsed)) return []
  return parsed.map((document) => {
    const [error] = document.errors
    if (error) throw new CommandFailure(EXIT.data, `${file}: ${error.message}`)
    return valid(valueOf(document, file), manifestSchema, `${file} is not a manifest.`)
  })
}

/** @throws {CommandFailure} data, for an alias that is unknown, or aliases that stand for too much */
function valueOf(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (cause) {
    throw new CommandFailure(EXIT.data, `${file}: ${(cause as Error).message}.`, { cause })
  }
}

function wantedGroup({ groups, devices, slos, slcs, ...rest }: Group): Wanted {
  return wanted('group', rest, { children: wantedChildren({ groups, devices, slos, slcs }) })
}

function wantedChildren({
  groups = [],
  devices = [],
  slos = [],
  slcs = [],
}: Pick<Group, 'groups' | 'devices' | 'slos' | 'slcs'>): readonly Wanted[] {
  return [
    ...groups.map(wantedGroup),
    ...devices.map(wantedDevice),
    ...slos.map(wantedSlo),
    ...slcs.map(({ children, ...rest }) =>
      wanted('slc', rest, { references: { ...NO_REFERENCES, children: children ?? null } }),
    ),
  ]
}

function wantedDevice({ jobs = [], ...rest }: z.infer<typeof device>): Wanted {
  return wanted('device', rest, { children: jobs.map((one) => wanted('job', one)) })
}

function wantedSlo({ children, device: itsDevice, childrenFilter, ...rest }: z.infer<typeof slo>): Wanted {
  const { group: filterGroup, ...filter } = childrenFilter ?? {}
  const settings =
    childrenFilter === undefined ? rest : { ...rest, childrenFilter: childrenFilter && { ...filter } }
  return wanted('slo', settings, {
    references: {
      children: children ?? null,
      device: itsDevice ?? null,
      filterGroup: filterGroup ?? null,
    },
  })
}

function wanted(
  type: Wanted['type'],
  object: z.infer<typeof job>,
  {
    children = [],
    references = NO_REFERENCES,
  }: { readonly children?: readonly Wanted[]; readonly references?: References } = {},
): Wanted {
  const {
    name: itsName,
    formerName = null,
    properties = null,
    alarmLinks: links = null,
    ...settings
  } = object
  return { type, name: itsName, formerName, properties, links, settings, references, children }
}

/** @throws {CommandFailure} data, where two objects of a parent have the same type and name */
function refuseTwins(objects: readonly Wanted[], path: string): void {
  const seen = new Set<string>()
  for (const object of objects) {
    const key = `${object.type} ${object.name}`
    if (seen.has(key))
      throw new CommandFailure(
        EXIT.data,
        `The manifest has two objects ${object.type} "${path}${object.name}".`,
      )
    seen.add(key)
    refuseTwins(object.children, `${path}${object.name} / `)
  }
}
