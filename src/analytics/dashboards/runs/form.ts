import { formParts } from '../../../content/files/multipart.ts'
import type { FormPart } from '../../../content/files/multipart.ts'
import { bodyChunks, collect } from '../../../http/bytes.ts'
import { refusalOf } from '../../../http/valid.ts'
import { Refusal } from '../../../lib/errors.ts'
import { widgetRunForm } from './schema.ts'
import type { WidgetRunBody } from './schema.ts'

const FORM_MAX_BYTES = 20 * 1024 * 1024
const PARAMS_MAX_BYTES = 64 * 1024
const SHOWN_MAX = 64

/** Reads the form of a run: `params` as JSON, and files in fields called `file`.
 * @param filesMax the number of files that the widget takes
 * @throws {Refusal} bad_request, invalid, too_large, and as `take` */
export async function readRunForm<File extends { readonly name: string }>(
  { request, boundary }: { readonly request: Request; readonly boundary: string },
  filesMax: number,
  take: (part: FormPart) => Promise<File>,
): Promise<WidgetRunBody & { readonly uploads: readonly File[] }> {
  const fields = new Map<string, string>()
  const uploads: File[] = []
  for await (const part of formParts(bodyChunks(request, FORM_MAX_BYTES), boundary)) {
    const { name, filename, chunks } = part
    if (filename === null) {
      if (name !== 'params') throw faulty(name, 'is an unknown field')
      if (fields.has(name)) throw faulty(name, 'must not be repeated')
      fields.set(name, new TextDecoder().decode(await collect(chunks, PARAMS_MAX_BYTES)))
      continue
    }
    if (name !== 'file') throw faulty(name, 'is an unknown field')
    if (uploads.length >= filesMax)
      throw faulty(
        name,
        filesMax === 0 ? 'The widget takes no files' : `must not be there more than ${filesMax} times`,
      )
    const upload = await take(part)
    if (uploads.some((other) => other.name === upload.name))
      throw faulty(name, 'must not have two files with the same name')
    uploads.push(upload)
  }
  const form = widgetRunForm.safeParse(Object.fromEntries(fields))
  if (!form.success) throw refusalOf('json', form.error)
  return { ...form.data, uploads }
}

function faulty(name: string, message: string): Refusal {
  const place = name.slice(0, SHOWN_MAX).replaceAll('~', '~0').replaceAll('/', '~1')
  return new Refusal('invalid', 'The form is invalid; see errors.', [{ pointer: `/${place}`, message }])
}
