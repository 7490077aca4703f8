CREATE TABLE `settings` (
	`id` integer PRIMARY KEY NOT NULL,
	`values` text NOT NULL,
	`secrets` text NOT NULL,
	`version` integer NOT NULL,
	`updated_at` integer NOT NULL
);
