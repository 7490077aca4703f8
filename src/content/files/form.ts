import type * as z from 'zod'
import { bodyChunks, collect } from '../../http/bytes.ts'
import { refusalOf } from '../../http/valid.ts'
import { Refusal } from '../../lib/errors.ts'
import { pointerOf } from '../../lib/pointer.ts'
import { startOf } from '../../lib/text.ts'
import { formParts } from './multipart.ts'
import type { FormPart } from './multipart.ts'

/** The maximum size of all fields and files of a form. */
const FORM_MAX_BYTES = 20 * 1024 * 1024
const NAME_SHOWN_MAX = 64

type Form = { readonly request: Request; readonly boundary: string }
type FormRules<Schema extends z.ZodObject, File> = {
  /** The schema of the fields of text, without the files. */
  readonly schema: Schema
  readonly fieldMaxBytes: number
  readonly filesMax: number
  readonly take: (part: FormPart) => Promise<File>
}

/** Reads a form with fields, each at most once, and files with the name `file`. `take` gets each file when it arrives.
 * @throws {Refusal} bad_request, invalid, too_large, and as `take` */
export async function readForm<Schema extends z.ZodObject, File extends { readonly name: string }>(
  { request, boundary }: Form,
  { schema, fieldMaxBytes, filesMax, take }: FormRules<Schema, File>,
): Promise<{ readonly fields: z.output<Schema>; readonly files: readonly File[] }> {
  const texts = new Map<string, string>()
  const files: File[] = []
  for await (const part of formParts(bodyChunks(request, FORM_MAX_BYTES), boundary)) {
    const { name, filename, chunks } = part
    const isKnown = filename === null ? Object.hasOwn(schema.shape, name) : name === 'file'
    if (!isKnown) throw fieldFault(name, 'is an unknown field')
    if (filename === null) {
      if (texts.has(name)) throw fieldFault(name, 'must not be repeated')
      texts.set(name, new TextDecoder().decode(await collect(chunks, fieldMaxBytes)))
      continue
    }
    if (filesMax === 0) throw fieldFault(name, 'must not be sent: no files are taken')
    if (files.length >= filesMax) throw fieldFault(name, `must not be repeated more than ${filesMax} times`)
    const file = await take(part)
    if (files.some((other) => other.name === file.name))
      throw fieldFault(name, 'must not have two files with the same name')
    files.push(file)
  }
  const { data, error } = schema.safeParse(Object.fromEntries(texts))
  if (error) throw refusalOf('json', error)
  return { fields: data, files }
}

/** The refusal of a form for one of its fields. */
export function fieldFault(name: string, message: string): Refusal {
  const pointer = pointerOf([startOf(name, NAME_SHOWN_MAX)])
  return new Refusal('invalid', 'The form is invalid; see errors.', [{ pointer, message }])
}
