/** Types of columns that several tables share: what is read, what an insert and what an update takes. */
import type { ColumnType } from "kysely";

export type Time = ColumnType<Date, Date | string, Date | string>;
export type TimeWithDefault = ColumnType<Date, Date | string | undefined, Date | string>;
export type NullableTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
/** Written as JSON text, read as a value. */
export type Jsonb<T> = ColumnType<T, string, string>;
export type JsonbWithDefault<T> = ColumnType<T, string | undefined, string>;
export type NullableJsonb<T> = ColumnType<T | null, string | null | undefined, string | null>;
/** Nullable and left out on insert when null. */
export type Maybe<T> = ColumnType<T | null, T | null | undefined, T | null>;
