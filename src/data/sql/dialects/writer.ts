import type { Bind } from '../../../ports/databases.ts'
import type { Fragment, Rendering } from '../fragment.ts'

/** How a dialect writes the operations that differ between dialects. */
export type Writer = Rendering & {
  /** A text that is compared by characters and not by a collation. */
  readonly exact: (text: Fragment) => Fragment
  /** The text of an `exact` one. */
  readonly spelled: (exact: Fragment) => Fragment
  /** A text in lower case, for comparisons by characters and not by a collation. */
  readonly folded: (text: Fragment) => Fragment
  /** The place of a part in a text, from 1; 0 without it. */
  readonly place: (text: Fragment, part: Fragment) => Fragment
  /** The length of folded text, in the unit of `part`. */
  readonly size: (text: Fragment) => Fragment
  readonly part: (text: Fragment, from: Fragment, size: Fragment) => Fragment
  readonly length: (text: Fragment) => Fragment
  readonly concat: (left: Fragment, right: Fragment) => Fragment
  /** A number as a double, so that a division has a fraction. */
  readonly double: (number: Fragment) => Fragment
  /** The number that a value of any type is, or that its text is in JSON; else null. */
  readonly numberIn: (value: Fragment) => Fragment
  readonly remainder: (left: Fragment, right: Fragment) => Fragment
  readonly round: (number: Fragment, digits: Fragment) => Fragment
  /** An instant or a day as whole seconds since 1970; those without a zone count as UTC. */
  readonly seconds: (instant: Fragment) => Fragment
  /** The months from the year 0 to a time in seconds. */
  readonly months: (seconds: Fragment) => Fragment
  /** One of two values. */
  readonly either: (condition: Fragment, then: Fragment, otherwise: Fragment) => Fragment
  /** The first second of the year, quarter or month of a time in seconds. @param months 12, 3 or 1 */
  readonly monthStart: (seconds: Fragment, months: 1 | 3 | 12) => Fragment
  /** The instant, or the day, of a time in seconds. */
  readonly instant: (seconds: Fragment) => Fragment
  readonly day: (seconds: Fragment) => Fragment
  /** Whether a derived table within an expression can name the columns around it. */
  readonly hasCorrelatedTables: boolean
  /** The sum of numbers. */
  readonly sum: (numbers: Fragment) => Fragment
  /** Whether there is `percentile_cont`. */
  readonly hasPercentiles: boolean
  readonly among: (left: Fragment, values: readonly Bind[]) => Fragment
}

/** A writer, and the zone of the clock by which times are truncated. */
export type ZonedWriter = Writer & { readonly timeZone: string }
