CREATE TABLE `styles` (
	`name` text PRIMARY KEY NOT NULL,
	`text` text NOT NULL,
	`digest` text NOT NULL,
	`updated_at` integer NOT NULL
);
