import { SPOKEN } from '../../../lib/language.ts'
import type { Spoken } from '../../../lib/language.ts'
import type { Relation } from '../../states/limit-news.ts'

/** The kinds of notices about an alarm. */
export const KINDS = [
  'opened',
  'worsened',
  'updated',
  'again',
  'reminder',
  'escalation',
  'flapping',
  'closed',
  'gone',
  'test',
] as const

export type Kind = (typeof KINDS)[number]

type Words = {
  readonly events: Readonly<Record<Kind, string>>
  readonly states: Readonly<Record<string, string>>
  readonly subject: string
  readonly text: string
  /** The text of a closed alarm. */
  readonly recovered: string
  readonly units: readonly [days: string, hours: string, minutes: string, seconds: string]
  /** The message of a silent object; `every` is null without a timeout. */
  silent(since: string, every: string | null): string
  readonly relations: Readonly<Record<Relation, string>>
  /** A predicted limit; `limit` is a relation and a number. */
  predicted(name: string, limit: string, at: string): string
  /** A value that is not usual; a missing bound is null. */
  unusual(
    name: string,
    value: string,
    usual: { readonly lower: string | null; readonly upper: string | null },
  ): string
  /** The subject of a message about several alarms. */
  several(bad: number, well: number): string
  /** The line for alarms beyond those that are listed. */
  more(count: number): string
}

/** The default texts. */
export const WORDS: Readonly<Record<Spoken, Words>> = {
  en: {
    events: {
      opened: 'Alarm',
      worsened: 'Worsened',
      updated: 'Changed',
      again: 'Still open',
      reminder: 'Reminder',
      escalation: 'Escalation',
      flapping: 'Flapping, no notifications until stable',
      closed: 'Recovered',
      gone: 'No longer monitored',
      test: 'Test',
    },
    states: { major: 'major', minor: 'minor', warning: 'warning', ok: 'ok', undefined: 'undefined' },
    subject: '{{event}}: {{object.name}} is {{state}}',
    text: '{{event}}: {{object.path}} is {{state}} (alarm since {{begin}}). {{message}}',
    recovered:
      '{{event}}: {{object.path}}, {{worstState}} from {{begin}} to {{end}} ({{duration}}). {{message}}',
    units: ['d', 'h', 'min', 's'],
    silent: (since, every) => `no data since ${since}${every === null ? '' : ` (expected every ${every})`}`,
    relations: { above: 'above', 'at least': 'at least', below: 'below', 'at most': 'at most' },
    predicted: (name, limit, at) => `${name} is predicted to be ${limit} at ${at}`,
    unusual: (name, value, { lower, upper }) => {
      if (lower === null) return `${name} is ${value}; usual are at most ${upper}`
      return `${name} is ${value}; usual are ${upper === null ? `at least ${lower}` : `${lower} to ${upper}`}`
    },
    several: (bad, well) =>
      [bad > 0 ? `${bad} ${bad === 1 ? 'alarm' : 'alarms'}` : '', well > 0 ? `${well} recovered` : '']
        .filter(Boolean)
        .join(', '),
    more: (count) => `… and ${count} more.`,
  },
  de: {
    events: {
      opened: 'Alarm',
      worsened: 'Verschlechtert',
      updated: 'Geändert',
      again: 'Weiterhin offen',
      reminder: 'Erinnerung',
      escalation: 'Eskalation',
      flapping: 'Instabil, keine Meldungen bis zur Beruhigung',
      closed: 'Behoben',
      gone: 'Nicht mehr überwacht',
      test: 'Test',
    },
    states: {
      major: 'kritisch',
      minor: 'gestört',
      warning: 'Warnung',
      ok: 'in Ordnung',
      undefined: 'unbekannt',
    },
    subject: '{{event}}: {{object.name}} ({{state}})',
    text: '{{event}}: {{object.path}} ({{state}}, Alarm seit {{begin}}). {{message}}',
    recovered:
      '{{event}}: {{object.path}}, {{worstState}} von {{begin}} bis {{end}} ({{duration}}). {{message}}',
    units: ['T', 'Std', 'Min', 's'],
    silent: (since, every) => `keine Daten seit ${since}${every === null ? '' : ` (erwartet alle ${every})`}`,
    relations: { above: 'über', 'at least': 'mindestens', below: 'unter', 'at most': 'höchstens' },
    predicted: (name, limit, at) => `${name} wird voraussichtlich ${limit} sein, am ${at}`,
    unusual: (name, value, { lower, upper }) => {
      if (lower === null) return `${name} ist ${value}; üblich sind höchstens ${upper}`
      return `${name} ist ${value}; üblich sind ${upper === null ? `mindestens ${lower}` : `${lower} bis ${upper}`}`
    },
    several: (bad, well) =>
      [bad > 0 ? `${bad} ${bad === 1 ? 'Alarm' : 'Alarme'}` : '', well > 0 ? `${well} behoben` : '']
        .filter(Boolean)
        .join(', '),
    more: (count) => `… und ${count} weitere.`,
  },
  fr: {
    events: {
      opened: 'Alarme',
      worsened: 'Aggravation',
      updated: 'Modification',
      again: 'Toujours ouverte',
      reminder: 'Rappel',
      escalation: 'Escalade',
      flapping: 'Instable, pas de notification avant le retour au calme',
      closed: 'Rétabli',
      gone: 'Plus surveillé',
      test: 'Test',
    },
    states: {
      major: 'majeur',
      minor: 'mineur',
      warning: 'avertissement',
      ok: 'en ordre',
      undefined: 'indéfini',
    },
    subject: '{{event}} : {{object.name}} ({{state}})',
    text: '{{event}} : {{object.path}} ({{state}}, alarme depuis {{begin}}). {{message}}',
    recovered:
      '{{event}} : {{object.path}}, {{worstState}} du {{begin}} au {{end}} ({{duration}}). {{message}}',
    units: ['j', 'h', 'min', 's'],
    silent: (since, every) =>
      `pas de données depuis ${since}${every === null ? '' : ` (attendues toutes les ${every})`}`,
    relations: {
      above: 'au-dessus de',
      'at least': 'au moins',
      below: 'au-dessous de',
      'at most': 'au plus',
    },
    predicted: (name, limit, at) => `${name} devrait être ${limit} le ${at}`,
    unusual: (name, value, { lower, upper }) => {
      if (lower === null) return `${name} est ${value} ; d’habitude au plus ${upper}`
      return `${name} est ${value} ; d’habitude ${upper === null ? `au moins ${lower}` : `de ${lower} à ${upper}`}`
    },
    several: (bad, well) =>
      [
        bad > 0 ? `${bad} ${bad === 1 ? 'alarme' : 'alarmes'}` : '',
        well > 0 ? `${well} ${well === 1 ? 'rétablie' : 'rétablies'}` : '',
      ]
        .filter(Boolean)
        .join(', '),
    more: (count) => `… et ${count} de plus.`,
  },
}

/** The supported language of a tag such as `de-CH`; English for all others. */
export function languageOf(tag: string): Spoken {
  const [primary] = tag.toLowerCase().split('-')
  return SPOKEN.find((language) => language === primary) ?? 'en'
}
