import { escaped } from './markup.ts'
import type { Spoken } from '../../lib/language.ts'
import { toneOf, toneOfPercent, troublesOf } from './shown.ts'
import type { PublicStatus, ShownObject } from './shown.ts'
import { WORDS } from './words.ts'
import type { Words } from './words.ts'

/** The only style of a page. The page's policy has the hash of this style and allows no other resource. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1b1e21; --ground: #fff; --line: #c9ced3; --good: #147a38; --odd: #8a5a00; --bad: #b3261e; --care: #2558b0; --none: #5c6167 }
@media (prefers-color-scheme: dark) { :root { --text: #e8eaed; --ground: #16181b; --line: #44494f; --good: #5fd38a; --odd: #f0b95b; --bad: #ff8a80; --care: #8ab4f8; --none: #a5abb1 } }
body { font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground); max-width: 44rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.6rem; margin: 0 } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
ul { list-style: none; padding: 0; margin: 0 } li { border-top: 1px solid var(--line); padding: .4rem 0 }
.good { color: var(--good) } .odd { color: var(--odd) } .bad { color: var(--bad) } .care { color: var(--care) } .none { color: var(--none) }
.days { display: flex; gap: 2px; height: 2rem } .days li { flex: 1; border: 0; padding: 0; background: currentColor; overflow: hidden }
.days span, .days time { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
footer { margin-top: 2rem; color: var(--none) }
`

/** Formats of instants in a language, in the time zone of the service. */
type Clock = { readonly instant: (at: number) => string; readonly day: (at: number) => string }

/** The page as HTML. All its data comes from `shown`. */
export function renderPage(shown: PublicStatus, language: Spoken, timeZone: string): string {
  const words = WORDS[language]
  const clock = clockOf(language, timeZone)
  const { object, children } = shown
  const name = escaped(object.name)
  return `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${name}</title>
<style>${STYLE}</style>
<main>
<h1>${name}</h1>
<p>${stateText(object, words, clock)}</p>
${troubles(shown, words, clock)}${parts(children, words, clock)}${availability(shown, words, clock)}
</main>
<footer>${words.asOf} ${timeOf(shown.at, clock.instant)}</footer>
</html>
`
}

function troubles(shown: PublicStatus, words: Words, clock: Clock): string {
  const { outages, maintained } = troublesOf(shown)
  const none = `<p>${words.noOutages}</p>`
  return [
    section(words.outages, outages.length > 0 ? list(outages, words, clock) : none),
    maintained.length > 0 ? section(words.maintenance, list(maintained, words, clock)) : '',
  ].join('')
}

function parts(children: readonly ShownObject[], words: Words, clock: Clock): string {
  return children.length > 0 ? section(words.parts, list(children, words, clock)) : ''
}

function availability({ days, percent }: PublicStatus, words: Words, clock: Clock): string {
  const title = `${words.availability} ${words.ofDays(days.length)}`
  const items = days.map(
    (day) =>
      `<li class="${toneOfPercent(day.percent)}">${timeOf(day.beginAt, clock.day)}<span>: ${percentText(day.percent, words)}</span></li>`,
  )
  return section(title, `<p>${percentText(percent, words)}</p><ul class="days">${items.join('')}</ul>`)
}

function section(title: string, content: string): string {
  return `<section><h2>${title}</h2>${content}</section>\n`
}

function list(objects: readonly ShownObject[], words: Words, clock: Clock): string {
  const items = objects.map(
    (object) => `<li>${escaped(object.name)}: ${stateText(object, words, clock)}</li>`,
  )
  return `<ul>${items.join('')}</ul>`
}

function stateText({ state, sinceAt, maintainedUntilAt }: ShownObject, words: Words, clock: Clock): string {
  const tone = toneOf(state)
  const since = `${words.since} ${timeOf(sinceAt, clock.instant)}`
  const isPlanned = tone === 'care' && maintainedUntilAt !== null
  const until = isPlanned ? ` ${words.until} ${timeOf(maintainedUntilAt, clock.instant)}` : ''
  return `<strong class="${tone}">${words.states[state]}</strong> ${since}${until}`
}

/** Rounds down, so that less than 100 percent is never shown as 100. */
export function percentText(percent: number | null, words: Words): string {
  return percent === null
    ? words.unknown
    : `${(Math.floor(Math.round(percent * 1000) / 10) / 100).toFixed(2)} %`
}

function timeOf(at: number, write: (at: number) => string): string {
  return `<time datetime="${new Date(at).toISOString()}">${escaped(write(at))}</time>`
}

function clockOf(language: Spoken, timeZone: string): Clock {
  const instant = new Intl.DateTimeFormat(LOCALES[language], {
    dateStyle: 'medium',
    timeStyle: 'long',
    timeZone,
  })
  const day = new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'medium', timeZone })
  return { instant: (at) => instant.format(at), day: (at) => day.format(at) }
}

const LOCALES: Readonly<Record<Spoken, string>> = { en: 'en-GB', de: 'de-DE', fr: 'fr-FR' }
