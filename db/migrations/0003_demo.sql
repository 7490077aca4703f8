CREATE TABLE `demo` (
	`id` integer PRIMARY KEY NOT NULL,
	`seed` text NOT NULL,
	`state` text NOT NULL,
	`anchor_at` integer NOT NULL,
	`step` integer NOT NULL,
	`fed_step` integer NOT NULL,
	`made` text NOT NULL,
	`held_until_at` integer NOT NULL
);
