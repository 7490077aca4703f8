import { UPLOAD_MAX_MS } from '../../../content/blobs/service.ts'
import { fieldFault } from '../../../content/files/form.ts'
import { boundaryOf, formParts } from '../../../content/files/multipart.ts'
import type { FormPart } from '../../../content/files/multipart.ts'
import { collect, bodyChunks, tooLarge } from '../../../http/bytes.ts'
import { Refusal } from '../../../lib/errors.ts'
import { Semaphore } from '../../../lib/semaphore.ts'
import type { Ports } from '../../../ports/index.ts'
import { REPEATED } from '../schema.ts'
import { keep } from './temporary-blob.ts'
import type { TemporaryBlob } from './temporary-blob.ts'
import type { UploadedArchive } from './reader.ts'

/** The largest archive as it is sent: the largest body of a request on Workers. */
export const PACKED_MAX_BYTES = 100_000_000
const FIELD_MAX_BYTES = 1024 * 1024
const FIELDS_MAX = 10
/** Fields with the name that may be repeated: as many as an archive has scripts. */
const REPEATED_MAX = 200
/** The imports of a process or isolate at once, each with some 40 MB in memory, and its queue. */
const slots = new Semaphore(2, 8, UPLOAD_MAX_MS)

/** A form that came: its fields, and its file, whose field is `file`. */
export type UploadForm = UploadedArchive & { readonly fields: UploadFields }
/** A field that came several times has all of its values. */
type UploadFields = Readonly<Record<string, string | readonly string[]>>

/** Does something with a form while its file is kept.
 * @throws {Refusal} unsupported_media_type, bad_request when it is not a form or ends early, invalid where it has no file, another
 * one, or a field twice, too_large, unavailable while blobs cannot be put or when it takes 10 minutes, overloaded while 10
 * others are worked on, what `use` throws */
export function withForm<Result>(
  ports: Ports,
  request: Request,
  use: (form: UploadForm) => Promise<Result>,
): Promise<Result> {
  return slots.run(ports.clock, async () => {
    const kept: (TemporaryBlob & { readonly file: string })[] = []
    try {
      const fields = await readForm(request, async ({ chunks, filename }) => {
        if (kept.length > 0) throw fieldFault('file', 'must not be repeated')
        const signal = AbortSignal.timeout(UPLOAD_MAX_MS)
        const blob = await keep(ports, { chunks, sizeMaxBytes: PACKED_MAX_BYTES, signal })
        kept.push({ ...blob, file: filename ?? '' })
      })
      const [sent] = kept
      if (!sent) throw fieldFault('file', 'is missing')
      return await use({ fields, source: sent.source, file: sent.file })
    } finally {
      for (const { release } of kept) await release()
    }
  })
}

async function readForm(request: Request, take: (file: FormPart) => Promise<void>): Promise<UploadFields> {
  const { headers } = request
  const boundary = boundaryOf(headers.get('content-type'))
  if (boundary === null) throw new Refusal('unsupported_media_type', 'Send a form (multipart/form-data).')
  const wholeMaxBytes = PACKED_MAX_BYTES + FIELDS_MAX * FIELD_MAX_BYTES
  if (Number(headers.get('content-length') ?? 0) > wholeMaxBytes) throw tooLarge(PACKED_MAX_BYTES)
  const fields = new FormFields()
  const chunks = bodyChunks(request, wholeMaxBytes, tooLarge(PACKED_MAX_BYTES))
  for await (const part of formParts(chunks, boundary)) {
    const { name, filename } = part
    if ((name === 'file') !== (filename !== null))
      throw fieldFault(name, 'must be a file if its name is `file`, and must not be a file otherwise')
    if (filename === null) await fields.take(part)
    else await take(part)
  }
  return fields.read()
}

/** The fields of a form beside its file, of which 10 MiB at most are held. */
class FormFields {
  readonly #values = new Map<string, string[]>()
  #leftBytes = FIELDS_MAX * FIELD_MAX_BYTES

  async take({ name, chunks }: FormPart): Promise<void> {
    const before = this.#values.get(name) ?? []
    if (before.length > 0 && name !== REPEATED) throw fieldFault(name, 'must not be repeated')
    if (before.length >= REPEATED_MAX || (before.length === 0 && this.#values.size >= FIELDS_MAX))
      throw fieldFault(name, 'is more than the allowed number of fields')
    const bytes = await collect(chunks, Math.min(FIELD_MAX_BYTES, this.#leftBytes))
    this.#leftBytes -= bytes.byteLength
    this.#values.set(name, [...before, new TextDecoder().decode(bytes)])
  }

  read(): UploadFields {
    const values = [...this.#values].map(([name, all]) => [name, all.length === 1 ? all[0] : all] as const)
    return Object.fromEntries(values) as UploadFields
  }
}
