import type { State } from '../../domain/state.ts'
import type { Spoken } from '../../lib/language.ts'

/** The texts on pages and badges. */
export type Words = {
  readonly states: Readonly<Record<State, string>>
  readonly availability: string
  /** Stands before an instant. */
  readonly since: string
  readonly until: string
  readonly parts: string
  readonly outages: string
  readonly noOutages: string
  readonly maintenance: string
  readonly ofDays: (days: number) => string
  readonly asOf: string
  readonly unknown: string
}

const english: Words = {
  states: {
    major: 'Major outage',
    minor: 'Minor outage',
    warning: 'Warning',
    maintenance_major: 'Maintenance',
    maintenance_minor: 'Maintenance',
    maintenance_warning: 'Maintenance',
    maintenance_ok: 'Maintenance',
    ok: 'Operational',
    no_data: 'No data',
    undefined: 'Unknown',
  },
  availability: 'Availability',
  since: 'since',
  until: 'until',
  parts: 'Components',
  outages: 'Current outages',
  noOutages: 'None.',
  maintenance: 'Maintenance',
  ofDays: (days) => (days === 1 ? 'today' : `over the last ${days} days`),
  asOf: 'As of',
  unknown: 'unknown',
}

const german: Words = {
  states: {
    major: 'Schwere Störung',
    minor: 'Störung',
    warning: 'Warnung',
    maintenance_major: 'Wartung',
    maintenance_minor: 'Wartung',
    maintenance_warning: 'Wartung',
    maintenance_ok: 'Wartung',
    ok: 'In Betrieb',
    no_data: 'Keine Daten',
    undefined: 'Unbekannt',
  },
  availability: 'Verfügbarkeit',
  since: 'seit',
  until: 'bis',
  parts: 'Komponenten',
  outages: 'Aktuelle Störungen',
  noOutages: 'Keine.',
  maintenance: 'Wartung',
  ofDays: (days) => (days === 1 ? 'heute' : `der letzten ${days} Tage`),
  asOf: 'Stand',
  unknown: 'unbekannt',
}

const french: Words = {
  states: {
    major: 'Panne majeure',
    minor: 'Panne mineure',
    warning: 'Avertissement',
    maintenance_major: 'Maintenance',
    maintenance_minor: 'Maintenance',
    maintenance_warning: 'Maintenance',
    maintenance_ok: 'Maintenance',
    ok: 'Opérationnel',
    no_data: 'Pas de données',
    undefined: 'Inconnu',
  },
  availability: 'Disponibilité',
  since: 'depuis',
  until: 'jusqu’à',
  parts: 'Composants',
  outages: 'Pannes en cours',
  noOutages: 'Aucune.',
  maintenance: 'Maintenance',
  ofDays: (days) => (days === 1 ? 'aujourd’hui' : `sur les ${days} derniers jours`),
  asOf: 'Au',
  unknown: 'inconnue',
}

export const WORDS: Readonly<Record<Spoken, Words>> = { en: english, de: german, fr: french }
