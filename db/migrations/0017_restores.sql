CREATE TABLE `restores` (
	`id` integer PRIMARY KEY NOT NULL,
	`digest` text NOT NULL,
	`made_at` integer NOT NULL,
	`began_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE TABLE `notification_pauses` (
	`id` integer PRIMARY KEY NOT NULL,
	`since_at` integer NOT NULL
);
