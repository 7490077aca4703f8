import type { Definition } from './definition.ts'
import type { Widget } from './widgets.ts'

type Texts = Readonly<Record<string, string>>

/** The texts of a dashboard that can be translated. */
export type Named = { readonly name: string; readonly description: string; readonly definition: Definition }

/** A dashboard with its texts in a language, and that language; null where it has no translation. */
export type Translated = Named & { readonly language: string | null }

/** Puts the texts of a language in place of the originals. `de-CH` falls back to `de`, and each text to the original. */
export function translated(named: Named, language: string): Translated {
  const { translations } = named.definition
  const base = language.split('-', 1)[0] ?? language
  const found = [base, language].filter((tag) => translations[tag] !== undefined)
  const used = found.at(-1)
  if (used === undefined) return { ...named, language: null }
  const texts: Texts = Object.assign({}, ...found.map((tag) => translations[tag])) as Texts
  return { ...replaced(named, texts), language: used }
}

function replaced({ name, description, definition }: Named, texts: Texts): Named {
  const of = (path: string, original: string) => texts[path] || original
  const widgets = Object.fromEntries<Widget>(
    Object.entries(definition.widgets).map(([id, widget]): [string, Widget] => {
      const at = `widgets.${id}`
      const title = of(`${at}.title`, widget.title)
      if (widget.kind === 'unknown') return [id, { ...widget, title }]
      const own = { ...widget, title, description: of(`${at}.description`, widget.description) }
      if (own.kind === 'text') return [id, { ...own, markdown: of(`${at}.markdown`, own.markdown) }]
      if (own.kind === 'script') return [id, { ...own, label: of(`${at}.label`, own.label) }]
      return [id, own]
    }),
  )
  const pages = definition.pages.map((page) => ({ ...page, title: of(`pages.${page.id}.title`, page.title) }))
  const parameters = definition.parameters.map((parameter) => {
    const at = `parameters.${parameter.name}`
    const values = parameter.values.map(({ value, label }) => ({
      value,
      label: of(`${at}.values.${String(value)}`, label),
    }))
    return { ...parameter, label: of(`${at}.label`, parameter.label), values }
  })
  return {
    name: of('name', name),
    description: of('description', description),
    definition: { ...definition, widgets, pages, parameters, translations: {} },
  }
}

/** The original texts of a dashboard by their paths, also the empty ones. */
function textsOf({ name, description, definition }: Named): readonly (readonly [string, string])[] {
  const { widgets, pages, parameters } = definition
  return [
    ['name', name],
    ['description', description],
    ...Object.entries(widgets).flatMap(([id, widget]) =>
      textsOfWidget(widget).map(([field, text]) => [`widgets.${id}.${field}`, text] as const),
    ),
    ...pages.map(({ id, title }) => [`pages.${id}.title`, title] as const),
    ...parameters.flatMap(({ name: parameter, label, values }) => [
      [`parameters.${parameter}.label`, label] as const,
      ...values.map((one) => [`parameters.${parameter}.values.${String(one.value)}`, one.label] as const),
    ]),
  ]
}

function textsOfWidget(widget: Widget): readonly (readonly [string, string])[] {
  const { kind, title } = widget
  if (kind === 'unknown') return [['title', title]]
  return [
    ['title', title],
    ['description', widget.description],
    ...(kind === 'text' ? [['markdown', widget.markdown] as const] : []),
    ...(kind === 'script' ? [['label', widget.label] as const] : []),
  ]
}

/** The texts that have no translation into a language, neither into its base: `de` is the base of `de-CH`. */
export function untranslated(named: Named, language: string): readonly (readonly [string, string])[] {
  const { translations } = named.definition
  const base = language.split('-', 1)[0] ?? language
  const known = { ...translations[base], ...translations[language] }
  return textsOf(named).filter(([path, text]) => text.trim() !== '' && !known[path])
}

/** The paths of translations that name no text of the dashboard. */
export function strayTexts(definition: Definition): string[][] {
  const known = new Set(textsOf({ name: '', description: '', definition }).map(([path]) => path))
  return Object.entries(definition.translations).flatMap(([language, texts]) =>
    Object.keys(texts).flatMap((path) => (known.has(path) ? [] : [['translations', language, path]])),
  )
}
