import { translateTexts } from '../../../content/translations/automatic/service.ts'
import type { Context } from '../../../context.ts'
import { demandedVersion, refuseStale } from '../../../http/preconditions.ts'
import { Refusal } from '../../../lib/errors.ts'
import { pointerOf } from '../../../lib/pointer.ts'
import { definition as definitionSchema } from '../definition.ts'
import type { Definition } from '../definition.ts'
import type { DashboardRef } from '../schema.ts'
import { changeDashboard, refuseManaged, storedDefinition } from '../service/changes.ts'
import { requireDashboard } from '../service/views.ts'
import { untranslated } from '../translations.ts'
import { CHARACTERS_MAX, TEXTS_MAX } from './schema.ts'
import type { TranslateBody, TranslateView } from './schema.ts'

/** The maximum length of a translation in a definition. */
const TEXT_MAX = 4_000

type Added = Record<string, Record<string, string>>
type Left = TranslateView['left'][number]

/** Adds the missing translations of a dashboard by machine; those that are there stay.
 * @throws {Refusal} not_found, forbidden, conflict for one that is managed elsewhere, precondition_failed, also for a change
 * during the translation, invalid for a definition that becomes too large, and as `translateTexts` */
export async function translateDashboard(
  context: Context,
  ref: DashboardRef,
  { source, targets }: TranslateBody,
): Promise<{ readonly view: TranslateView; readonly version: number }> {
  const { row, definition } = await requireDashboard(context, ref, 'write')
  refuseStale(demandedVersion(context), row.version, 'dashboard')
  refuseManaged(row)
  const missing = targets.flatMap((language) =>
    untranslated({ ...row, definition }, language).map(([path, text]) => ({ language, path, text })),
  )
  const texts = sendable(missing)
  const { results, provider, characters } = await translateTexts(context, {
    source,
    targets,
    texts: [...texts].map(([key, text]) => ({ key, text })),
    format: 'text',
    save: false,
  })
  const added: Added = {}
  const left: Left[] = []
  for (const { language, path, text } of missing) {
    const found = results[language]?.find(({ key }) => key === path)
    const reason = reasonOf(text, found)
    if (reason === null) (added[language] ??= {})[path] = found?.text ?? ''
    else left.push({ language, path, reason })
  }
  const changed = storedDefinition(withTexts(definition, added))
  const after = await changeDashboard(context, row, { action: 'translate', after: { definition: changed } })
  return { view: { version: after.number, added, left, provider, characters }, version: after.version }
}

type Missing = { readonly path: string; readonly text: string }

/** The texts of one request by their paths. */
function sendable(missing: readonly Missing[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  let characters = 0
  for (const { path, text } of missing) {
    if (texts.has(path) || text.length > TEXT_MAX) continue
    if (texts.size === TEXTS_MAX || characters + text.length > CHARACTERS_MAX) break
    texts.set(path, text)
    characters += text.length
  }
  return texts
}

/** Why a text stays missing; null for one that was translated. */
function reasonOf(text: string, found: { readonly text: string | null } | undefined): Left['reason'] | null {
  if (text.length > TEXT_MAX || (found?.text?.length ?? 0) > TEXT_MAX) return 'too_long'
  if (!found) return 'later'
  return found.text ? null : 'placeholder_lost'
}

function withTexts(definition: Definition, added: Added): Definition {
  const { translations } = definition
  const languages = Object.entries(added).map(([language, texts]) => [
    language,
    { ...translations[language], ...texts },
  ])
  const changed = { ...translations, ...(Object.fromEntries(languages) as Definition['translations']) }
  const { data, error } = definitionSchema.safeParse({ ...definition, translations: changed })
  if (data) return data
  throw new Refusal(
    'invalid',
    'With the translations the definition is invalid; see errors.',
    error.issues.map(({ path, message }) => ({ pointer: pointerOf(['definition', ...path]), message })),
  )
}
