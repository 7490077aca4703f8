CREATE TABLE `charges` (
	`object_id` integer NOT NULL,
	`seq` integer NOT NULL,
	`at` integer NOT NULL,
	`to_state` text,
	PRIMARY KEY(`object_id`, `seq`),
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `slc_spells` (
	`slc_id` integer NOT NULL,
	`seq` integer NOT NULL,
	`at` integer NOT NULL,
	`maintained` integer NOT NULL,
	`excused` integer NOT NULL,
	PRIMARY KEY(`slc_id`, `seq`),
	FOREIGN KEY (`slc_id`) REFERENCES `slcs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `states` ADD `charged` text;