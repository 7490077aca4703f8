CREATE TABLE `unfiltered` (
	`object_id` integer PRIMARY KEY NOT NULL,
	`mark` integer NOT NULL,
	`is_whole` integer NOT NULL,
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `links` ADD `by_filter` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `links` ADD `is_left_out` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `slos` ADD `children_filter` text;--> statement-breakpoint
ALTER TABLE `slos` ADD `is_full` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `slos_by_filter` ON `slos` (`id`) WHERE children_filter is not null;